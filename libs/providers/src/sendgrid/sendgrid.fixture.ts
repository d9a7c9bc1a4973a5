import type { VendorMatrix } from '../vendor/matrix.fixture';
import { sendgridKind } from './sendgrid';

const EMAIL = {
  subject: 'Shipped',
  html: '<p>Shipped</p>',
  text: 'Shipped',
  from: 'Shop <shop@example.com>',
  replyTo: 'help@example.com',
  cc: ['"Käthe, of the office; second floor" <kaethe@example.com>'],
  bcc: ['archive@example.com', 'ada@example.org'],
  listUnsubscribe: { url: 'https://example.com/u', oneClick: true },
  attachments: [{ filename: 'invoice.txt', contentType: 'text/plain', content: Buffer.from('hello') }],
};
const recipient = { channel: 'email', email: 'ada@example.org' } as const;
const error = (message: string, field: string | null = null) => ({ errors: [{ message, field }] });

export const SENDGRID: VendorMatrix = {
  kind: sendgridKind,
  settings: () => ({ api_key: 'SG.a-key-of-the-shop' }),
  message: { rendered: { kind: 'email', email: EMAIL }, recipient },
  rows: {
    accepted: {
      answer: { status: 202, headers: { 'x-message-id': 'sg-1' } },
      outcome: { kind: 'accepted', reference: { id: 'sg-1' }, delivered: false },
    },
    sandboxed: { answer: { status: 200 }, outcome: { kind: 'accepted', reference: {} } },
    badAddress: {
      answer: { status: 400, body: error('Does not contain a valid address.', 'personalizations.0.to.0.email') },
      outcome: {
        kind: 'failed',
        cause: 'recipient',
        reasonCode: 'HARD',
        error: 'SendGrid answered 400: Does not contain a valid address. (personalizations.0.to.0.email)',
      },
    },
    'bad content': {
      answer: { status: 400, body: error('The subject is required.', 'subject') },
      outcome: { kind: 'failed', cause: 'permanent' },
    },
    badCredentials: {
      answer: { status: 401, body: error('The provided authorization grant is invalid, expired, or revoked') },
      outcome: { kind: 'failed', cause: 'configuration' },
    },
    'unverified sender': {
      answer: { status: 403, body: error('The from address does not match a verified Sender Identity.', 'from') },
      outcome: { kind: 'failed', cause: 'configuration' },
    },
    tooLarge: {
      answer: { status: 413, body: error('Payload too large') },
      outcome: { kind: 'failed', cause: 'permanent' },
    },
  },
  throttled: error('too many requests'),
  unfit: {
    rendered: { kind: 'email', email: { ...EMAIL, attachments: [{ ...EMAIL.attachments[0]!, filename: 'März.pdf' }] } },
    recipient,
    reason: 'SendGrid accepts names of attachments in ASCII alone, not "März.pdf"',
  },
  test: {
    operation: 'scopes',
    good: { status: 200, body: { scopes: ['mail.send'] } },
    wrong: { status: 200, body: { scopes: ['stats.read'] } },
  },
};
