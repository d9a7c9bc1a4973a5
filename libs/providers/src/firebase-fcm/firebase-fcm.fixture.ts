import { generateKeyPairSync } from 'node:crypto';
import type { VendorMatrix } from '../vendor/matrix.fixture';
import { firebaseFcmKind } from './firebase-fcm';

const keys = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
/** Verifies what the account has signed. */
export const PUBLIC_KEY = keys.publicKey;
export const CLIENT_EMAIL = 'push@example.iam.gserviceaccount.com';

/** The JSON file of a key of the account. */
export const account = (tokenUrl: string, more: object = {}): string =>
  JSON.stringify({
    type: 'service_account',
    project_id: 'example-1',
    private_key_id: 'key-1',
    private_key: keys.privateKey,
    client_email: CLIENT_EMAIL,
    token_uri: tokenUrl,
    ...more,
  });

/** The body of an error of Firebase Cloud Messaging; without a code, of Google's servers. */
export const error = (code: number, errorCode: string | undefined, message = 'Refused', details: object[] = []): object => ({
  error: {
    code,
    message,
    details: [...(errorCode ? [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode }] : []), ...details],
  },
});
const violation = (field: string): object => ({
  '@type': 'type.googleapis.com/google.rpc.BadRequest',
  fieldViolations: [{ field, description: 'Invalid' }],
});

export const PHONE = { channel: 'push', tokens: [{ token: 'phone', provider_key: 'firebase-fcm' }] } as const;
export const pushOf = (data: Record<string, unknown> = {}) => ({ kind: 'push', push: { title: 'Order', body: 'Shipped', data } }) as const;
const refused = (outcome: 'revoked' | 'suspicious', code: string): object => ({
  kind: 'failed',
  cause: 'token',
  refusedTokens: [{ token: 'phone', outcome, code }],
});

export const FCM: VendorMatrix = {
  kind: firebaseFcmKind,
  settings: (peer) => ({ service_account: account(peer.urlOf('token')) }),
  message: { rendered: pushOf(), recipient: PHONE },
  before: { token: { status: 200, body: { access_token: 'access', expires_in: 3_599 } } },
  rows: {
    accepted: {
      answer: { status: 200, body: { name: 'projects/example-1/messages/17' } },
      outcome: { kind: 'accepted', reference: { id: 'projects/example-1/messages/17' }, delivered: false },
    },
    deadToken: { answer: { status: 404, body: error(404, 'UNREGISTERED') }, outcome: refused('revoked', 'UNREGISTERED') },
    'a token of another sender': {
      answer: { status: 403, body: error(403, 'SENDER_ID_MISMATCH') },
      outcome: refused('suspicious', 'SENDER_ID_MISMATCH'),
    },
    'an invalid token, by its field': {
      answer: { status: 400, body: error(400, 'INVALID_ARGUMENT', 'Invalid', [violation('message.token')]) },
      outcome: refused('suspicious', 'INVALID_ARGUMENT'),
    },
    'an invalid token, by the words': {
      answer: { status: 400, body: error(400, 'INVALID_ARGUMENT', 'The registration token is not a valid FCM registration token') },
      outcome: refused('suspicious', 'INVALID_ARGUMENT'),
    },
    tooLarge: {
      answer: { status: 400, body: error(400, 'INVALID_ARGUMENT', 'Message is too big', [violation('message')]) },
      outcome: { kind: 'failed', cause: 'permanent' },
    },
    'an invalid argument without a name': {
      answer: { status: 400, body: error(400, 'INVALID_ARGUMENT') },
      outcome: { kind: 'failed', cause: 'permanent' },
    },
    badCredentials: { answer: { status: 403, body: error(403, undefined) }, outcome: { kind: 'failed', cause: 'configuration' } },
    'credentials of Apple that are missing': {
      answer: { status: 401, body: error(401, 'THIRD_PARTY_AUTH_ERROR') },
      outcome: { kind: 'failed', cause: 'configuration' },
    },
    'a quota that is used up': {
      answer: { status: 429, body: error(429, 'QUOTA_EXCEEDED') },
      outcome: { kind: 'retry', retryAfterMs: 60_000, outage: true },
    },
    unavailable: { answer: { status: 503, body: error(503, 'UNAVAILABLE') }, outcome: { kind: 'retry', outage: true } },
    internal: { answer: { status: 500, body: error(500, 'INTERNAL') }, outcome: { kind: 'retry', outage: true } },
  },
  throttled: error(429, 'QUOTA_EXCEEDED'),
  failing: error(503, 'UNAVAILABLE'),
  unfit: {
    rendered: pushOf({ text: 'x'.repeat(4_096) }),
    recipient: PHONE,
    reason: 'accepts 4096 bytes of texts and data, the message has 4121',
  },
  test: {
    operation: 'send',
    good: { status: 200, body: { name: 'projects/example-1/messages/fake_message_id' } },
    wrong: { status: 403, body: error(403, undefined, 'Permission denied') },
  },
};
