import type { VendorMatrix } from '../vendor/matrix.fixture';
import { mailgunKind } from './mailgun';

const EMAIL = {
  subject: 'Shipped',
  html: '<p>Shipped</p>',
  text: 'Shipped',
  from: 'Shop <shop@example.com>',
  replyTo: 'Käthe <help@example.com>',
  cc: ['"Käthe, of the office" <kaethe@example.com>', 'bob@example.com'],
  bcc: ['archive@example.com'],
  listUnsubscribe: { url: 'https://example.com/u', oneClick: true },
  attachments: [
    { filename: 'März "2".bin', contentType: 'application/octet-stream', content: Buffer.from('hello') },
    { filename: 'empty.txt', contentType: 'text/plain', content: Buffer.alloc(0) },
  ],
};
const recipient = { channel: 'email', email: 'ada@example.org' } as const;
const failure = (status: number, message: string) => ({ status, body: { message } });
const CONFIGURATION = { kind: 'failed', cause: 'configuration' };

export const MAILGUN: VendorMatrix = {
  kind: mailgunKind,
  settings: () => ({ api_key: 'the-key-of-the-domain', domain: 'mail.example.com' }),
  message: { rendered: { kind: 'email', email: EMAIL }, recipient },
  rows: {
    accepted: {
      answer: { status: 200, body: { id: '<mg-1@mail.example.com>', message: 'Queued. Thank you.' } },
      outcome: { kind: 'accepted', reference: { id: 'mg-1@mail.example.com' }, delivered: false },
    },
    badAddress: {
      answer: failure(400, 'to parameter is not a valid address. please check documentation'),
      outcome: {
        kind: 'failed',
        cause: 'recipient',
        reason: 'BOUNCED',
        reasonCode: 'HARD',
        error: 'Mailgun answered 400: to parameter is not a valid address. please check documentation',
      },
    },
    'bad content': { answer: failure(400, 'from parameter is missing'), outcome: { kind: 'failed', cause: 'permanent' } },
    badCredentials: { answer: { status: 401, body: 'Forbidden' }, outcome: { ...CONFIGURATION, error: 'Mailgun answered 401: Forbidden' } },
    'a domain of another region': { answer: failure(404, 'Domain not found: mail.example.com'), outcome: CONFIGURATION },
    'a domain that may not send': { answer: failure(403, 'Domain is not allowed to send'), outcome: CONFIGURATION },
    'a limit with a pause in words': {
      answer: failure(429, 'Domain mail.example.com is not allowed to send: limit exceeded, try again after 120 seconds'),
      outcome: { kind: 'retry', retryAfterMs: 120_000, outage: true },
    },
    'a limit without a pause': { answer: failure(429, 'Too many requests'), outcome: { kind: 'retry', retryAfterMs: undefined } },
    tooLarge: { answer: { status: 413, body: '<html>' }, outcome: { kind: 'failed', cause: 'permanent' } },
  },
  throttled: { message: 'Too many requests, try again after 120 seconds' },
  failing: { message: 'Internal Server Error' },
  unfit: {
    rendered: { kind: 'email', email: { ...EMAIL, bcc: Array.from({ length: 1_000 }, (_, i) => `copy-${i}@example.com`) } },
    recipient,
    reason: 'Mailgun accepts 1000 recipients of a mail, copies included, not 1003',
  },
  test: {
    operation: 'check',
    good: failure(400, 'from parameter is missing'),
    wrong: { status: 401, body: 'Forbidden' },
  },
};
