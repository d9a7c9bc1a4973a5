import type { VendorMatrix } from '../vendor/matrix.fixture';
import { resendKind } from './resend';

const EMAIL = {
  subject: 'Shipped',
  html: '<p>Shipped</p>',
  text: 'Shipped',
  from: 'Shop <shop@example.com>',
  replyTo: 'help@example.com',
  cc: ['"Käthe, of the office" <kaethe@example.com>'],
  bcc: ['archive@example.com'],
  listUnsubscribe: { url: 'https://example.com/u', oneClick: true },
  attachments: [{ filename: 'invoice.txt', contentType: 'text/plain', content: Buffer.from('hello') }],
};
const recipient = { channel: 'email', email: 'ada@example.org' } as const;
const failure = (statusCode: number, name: string, message = 'Something is wrong') => ({
  status: statusCode,
  body: { statusCode, name, message },
});
const CONFIGURATION = { kind: 'failed', cause: 'configuration' };
const PERMANENT = { kind: 'failed', cause: 'permanent' };

export const RESEND: VendorMatrix = {
  kind: resendKind,
  settings: () => ({ api_key: 're_the-key-of-the-shop' }),
  message: { rendered: { kind: 'email', email: EMAIL }, recipient },
  rows: {
    accepted: {
      answer: { status: 200, body: { id: 're-1' } },
      outcome: { kind: 'accepted', reference: { id: 're-1' }, delivered: false },
    },
    badAddress: {
      answer: failure(422, 'validation_error', 'Invalid `to` field.'),
      outcome: { ...PERMANENT, error: 'Resend answered 422: Invalid `to` field. (validation_error)' },
    },
    badCredentials: { answer: failure(403, 'invalid_api_key'), outcome: CONFIGURATION },
    'a key that was deleted': { answer: failure(401, 'validation_error', 'API key is invalid'), outcome: CONFIGURATION },
    'a key in a wrong form': { answer: failure(400, 'validation_error', 'API key is invalid'), outcome: CONFIGURATION },
    'a domain that is not verified': { answer: failure(403, 'validation_error'), outcome: CONFIGURATION },
    'a used up day': { answer: failure(429, 'daily_quota_exceeded'), outcome: CONFIGURATION },
    'a used up month': { answer: failure(429, 'monthly_quota_exceeded'), outcome: CONFIGURATION },
    'the same mail in progress': { answer: failure(409, 'concurrent_idempotent_requests'), outcome: { kind: 'retry' } },
    'another mail with the same key': { answer: failure(409, 'invalid_idempotent_request'), outcome: PERMANENT },
    tooLarge: { answer: failure(413, 'validation_error'), outcome: PERMANENT },
  },
  throttled: { statusCode: 429, name: 'rate_limit_exceeded', message: 'Too many requests' },
  failing: { statusCode: 503, name: 'application_error', message: 'Something is wrong' },
  unfit: {
    rendered: { kind: 'email', email: { ...EMAIL, bcc: Array.from({ length: 49 }, (_, i) => `copy-${i}@example.com`) } },
    recipient,
    reason: 'Resend accepts 50 recipients of a mail, copies included, not 51',
  },
  test: { operation: 'domains', good: failure(401, 'restricted_api_key'), wrong: failure(400, 'validation_error', 'API key is invalid') },
};
