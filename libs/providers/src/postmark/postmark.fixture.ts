import type { VendorMatrix } from '../vendor/matrix.fixture';
import { postmarkKind } from './postmark';

const EMAIL = {
  subject: 'Shipped',
  html: '<p>Shipped</p>',
  text: 'Shipped',
  from: 'Shop <shop@example.com>',
  replyTo: 'help@example.com',
  cc: ['"Käthe, of the office" <kaethe@example.com>', 'bob@example.com'],
  bcc: ['archive@example.com'],
  listUnsubscribe: { url: 'https://example.com/u', oneClick: true },
  attachments: [{ filename: 'März.txt', contentType: 'text/plain', content: Buffer.from('hello') }],
};
const recipient = { channel: 'email', email: 'ada@example.org' } as const;
const failure = (ErrorCode: number, Message = 'Something is wrong', status = 422) => ({ status, body: { ErrorCode, Message } });
const sent = (Message: string) => ({ status: 200, body: { ErrorCode: 0, Message, MessageID: 'pm-1' } });
const CONFIGURATION = { kind: 'failed', cause: 'configuration' };
const PERMANENT = { kind: 'failed', cause: 'permanent' };
const BOUNCED = { kind: 'failed', cause: 'recipient', reason: 'BOUNCED', reasonCode: 'HARD' };

export const POSTMARK: VendorMatrix = {
  kind: postmarkKind,
  settings: () => ({ server_token: 'the-token-of-the-server' }),
  message: { rendered: { kind: 'email', email: EMAIL }, recipient },
  rows: {
    accepted: { answer: sent('OK'), outcome: { kind: 'accepted', reference: { id: 'pm-1' }, delivered: false } },
    'accepted without an inactive copy': {
      answer: sent('Message OK, but will not deliver to these inactive addresses: bob@example.com'),
      outcome: { kind: 'accepted', reference: { id: 'pm-1' } },
    },
    'accepted for copies alone': {
      answer: sent('Message OK, but will not deliver to these inactive addresses: bob@example.com, Ada@example.org.'),
      outcome: BOUNCED,
    },
    badAddress: {
      answer: failure(300, "Error parsing 'To': Illegal email address 'ada@example.org'."),
      outcome: { ...BOUNCED, error: "Postmark answered 422: Error parsing 'To': Illegal email address 'ada@example.org'. (300)" },
    },
    'a bad address of a copy': { answer: failure(300, "Error parsing 'Cc': Illegal email address 'bob'."), outcome: PERMANENT },
    'an inactive recipient': { answer: failure(406), outcome: BOUNCED },
    'a sender without a signature': { answer: failure(400), outcome: CONFIGURATION },
    'a sender that is not confirmed': { answer: failure(401), outcome: CONFIGURATION },
    'an account without credits': { answer: failure(405), outcome: CONFIGURATION },
    'a pending account': { answer: failure(412), outcome: CONFIGURATION },
    'an account that may not send': { answer: failure(413), outcome: CONFIGURATION },
    'a forbidden attachment': { answer: failure(411), outcome: PERMANENT },
    maintenance: { answer: failure(100), outcome: { kind: 'retry', outage: true } },
    badCredentials: { answer: failure(10, 'The Server Token is not valid', 401), outcome: CONFIGURATION },
    tooLarge: { answer: { status: 413 }, outcome: PERMANENT },
  },
  throttled: { ErrorCode: 429, Message: 'Rate limit exceeded' },
  unfit: {
    rendered: { kind: 'email', email: { ...EMAIL, bcc: Array.from({ length: 50 }, (_, i) => `copy-${i}@example.com`) } },
    recipient,
    reason: 'Postmark accepts 50 recipients of a mail, copies included, not 53',
  },
  test: {
    operation: 'server',
    good: { status: 200, body: { ID: 1 } },
    wrong: failure(10, 'The Server Token is not valid', 401),
  },
};
