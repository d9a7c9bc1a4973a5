import type { VendorMatrix } from '../vendor/matrix.fixture';
import { onesignalKind } from './onesignal';

const APP = '3f0c1d52-1111-2222-3333-444455556666';
const pushOf = (title: string, body: string, data: Record<string, unknown> = {}) =>
  ({ kind: 'push', push: { title, body, data } }) as const;
const recipient = {
  channel: 'push',
  tokens: [
    { token: 'phone', provider_key: 'onesignal' },
    { token: 'tablet', provider_key: 'onesignal' },
  ],
} as const;
const revoked = (...tokens: string[]) => tokens.map((token) => ({ token, outcome: 'revoked' }));

export const ONESIGNAL: VendorMatrix = {
  kind: onesignalKind,
  settings: () => ({ app_id: APP, api_key: 'os_v2_app_the-key' }),
  message: { rendered: pushOf('Order', 'Shipped', { order: 'A-17', clickAction: 'https://shop.example/orders' }), recipient },
  rows: {
    accepted: { answer: { status: 200, body: { id: 'n-1' } }, outcome: { kind: 'accepted', reference: { id: 'n-1' }, delivered: false } },
    deadToken: {
      answer: { status: 200, body: { id: '', errors: ['All included players are not subscribed'] } },
      outcome: {
        kind: 'failed',
        cause: 'token',
        error: 'OneSignal answered 200: All included players are not subscribed',
        refusedTokens: revoked('phone', 'tablet'),
      },
    },
    'one of several tokens that is dead': {
      answer: { status: 200, body: { id: 'n-1', errors: { invalid_player_ids: ['tablet', 'of another'] } } },
      outcome: { kind: 'accepted', reference: { id: 'n-1' }, refusedTokens: revoked('tablet') },
    },
    'tokens that are named, and nothing created': {
      answer: { status: 200, body: { id: '', errors: { invalid_player_ids: ['phone', 'tablet'] } } },
      outcome: { kind: 'failed', cause: 'token', refusedTokens: revoked('phone', 'tablet') },
    },
    'nothing created for another cause': {
      answer: { status: 200, body: { id: '', errors: ['Something else'] } },
      outcome: { kind: 'failed', cause: 'permanent' },
    },
    badCredentials: { answer: { status: 403, body: { errors: ['Access denied.'] } }, outcome: { kind: 'failed', cause: 'configuration' } },
    'no such application': {
      answer: { status: 400, body: { errors: ['app_id not found.'] } },
      outcome: { kind: 'failed', cause: 'configuration' },
    },
    'a limit in the header of its own': {
      answer: { status: 429, body: { errors: ['API rate limit exceeded'] }, headers: { RetryAfter: '9' } },
      outcome: { kind: 'retry', retryAfterMs: 9_000, outage: true },
    },
    tooLarge: { answer: { status: 400, body: { errors: ['Message is too long'] } }, outcome: { kind: 'failed', cause: 'permanent' } },
  },
  throttled: { errors: ['API rate limit exceeded'], limit: '150' },
  unfit: { rendered: pushOf('', ''), recipient, reason: 'OneSignal accepts no message without a text' },
  test: {
    operation: 'list',
    good: { status: 200, body: { notifications: [] } },
    wrong: { status: 403, body: { errors: ['Access denied.'] } },
  },
};
