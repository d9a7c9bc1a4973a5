import type { PeerAnswer } from '../vendor/peer.fixture';
import type { VendorMatrix } from '../vendor/matrix.fixture';
import { msteamsKind } from './msteams';

export const CARD = { type: 'AdaptiveCard', version: '1.4', body: [{ type: 'TextBlock', text: '**Shipped**', wrap: true }] };
const direct = (text: string, card?: object) => ({ kind: 'direct_message', directMessage: { text, card: card && { ...card } } }) as const;
const recipient = { channel: 'direct_message', ms_teams: { conversation_id: 'a:1' } } as const;
export const refused = (status: number, code: string): PeerAnswer => ({ status, body: { error: { code, message: 'Refused' } } });

export const MSTEAMS: VendorMatrix = {
  kind: msteamsKind,
  settings: ({ url }) => ({ app_id: 'the-bot', app_password: 'the-password-of-the-bot', tenant_id: 'shop.example', login_url: url }),
  message: { rendered: direct('Shipped', CARD), recipient },
  before: { token: { status: 200, body: { access_token: 'access', token_type: 'Bearer', expires_in: 3_599 } } },
  rows: {
    accepted: { answer: { status: 201, body: { id: '1485' } }, outcome: { kind: 'accepted', reference: { id: '1485' }, delivered: false } },
    badAddress: {
      answer: refused(403, 'MessageWritesBlocked'),
      outcome: {
        kind: 'failed',
        cause: 'recipient',
        reasonCode: 'HARD',
        error: 'Microsoft Teams answered 403: Refused (MessageWritesBlocked)',
      },
    },
    'a bot that is not installed there': {
      answer: refused(403, 'BotNotInConversationRoster'),
      outcome: { kind: 'failed', cause: 'permanent' },
    },
    'no such conversation': { answer: refused(404, 'ConversationNotFound'), outcome: { kind: 'failed', cause: 'permanent' } },
    // A status 401 is repeated with another token.
    badCredentials: { answer: refused(403, 'Unauthorized'), outcome: { kind: 'failed', cause: 'configuration' } },
    tooLarge: { answer: refused(413, 'MessageSizeTooBig'), outcome: { kind: 'failed', cause: 'permanent' } },
    'a precondition that may pass': { answer: refused(412, 'PreconditionFailed'), outcome: { kind: 'retry' } },
    'a gateway that fails': { answer: refused(502, 'BadGateway'), outcome: { kind: 'retry', outage: true } },
  },
  unfit: { rendered: direct('x'.repeat(29_000)), recipient, reason: 'bytes for Microsoft Teams, which accepts 28672' },
  test: {
    operation: 'token',
    good: { status: 200, body: { access_token: 'access', expires_in: 3_599 } },
    wrong: { status: 401, body: { error: 'invalid_client', error_description: 'Invalid client secret provided.' } },
  },
};
