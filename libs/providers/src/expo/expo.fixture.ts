import type { PeerAnswer } from '../vendor/peer.fixture';
import type { VendorMatrix } from '../vendor/matrix.fixture';
import { expoKind } from './expo';

export const TOKEN = 'ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]';
const recipient = { channel: 'push', tokens: [{ token: TOKEN, provider_key: 'expo' }] } as const;
const pushOf = (data: Record<string, unknown>) => ({ kind: 'push', push: { title: 'Order', body: 'Shipped', data } }) as const;
const refused = (error: string): PeerAnswer => ({
  status: 200,
  body: { data: [{ status: 'error', message: 'Refused', details: { error } }] },
});
const errors = (code: string) => ({ errors: [{ code, message: 'Refused as a whole' }] });

export const EXPO: VendorMatrix = {
  kind: expoKind,
  settings: () => ({ access_token: 'the-token-of-the-account' }),
  message: { rendered: pushOf({ order: 'A-17' }), recipient },
  rows: {
    accepted: {
      answer: { status: 200, body: { data: [{ status: 'ok', id: 'ticket-1' }] } },
      outcome: { kind: 'accepted', reference: { id: 'ticket-1' }, delivered: false },
    },
    deadToken: {
      answer: refused('DeviceNotRegistered'),
      outcome: {
        kind: 'failed',
        cause: 'token',
        error: 'Expo answered 200: Refused',
        refusedTokens: [{ token: TOKEN, outcome: 'revoked', code: 'DeviceNotRegistered' }],
      },
    },
    badCredentials: { answer: { status: 401, body: errors('UNAUTHORIZED') }, outcome: { kind: 'failed', cause: 'configuration' } },
    'a project that requires a token': {
      answer: { status: 403, body: errors('FORBIDDEN') },
      outcome: { kind: 'failed', cause: 'configuration' },
    },
    tooLarge: { answer: refused('MessageTooBig'), outcome: { kind: 'failed', cause: 'permanent' } },
    'credentials of Apple that are missing': { answer: refused('InvalidCredentials'), outcome: { kind: 'failed', cause: 'permanent' } },
    'the limit of a device': { answer: refused('MessageRateExceeded'), outcome: { kind: 'retry' } },
    'an invalid request': {
      answer: { status: 400, body: errors('VALIDATION_ERROR') },
      outcome: { kind: 'failed', cause: 'permanent', error: 'Expo answered 400: Refused as a whole' },
    },
  },
  throttled: errors('TOO_MANY_REQUESTS'),
  unfit: {
    rendered: pushOf({ text: 'x'.repeat(4_096) }),
    recipient,
    reason: 'Expo accepts 4096 bytes of texts and data, the message has 4149',
  },
  test: { operation: 'receipts', good: { status: 200, body: { data: {} } }, wrong: { status: 401, body: errors('UNAUTHORIZED') } },
};
