import type { VendorMatrix } from '../vendor/matrix.fixture';
import { awsSesKind } from './aws-ses';

export const SETTINGS = {
  access_key_id: 'AKIDEXAMPLE000000',
  secret_access_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'eu-central-1',
  from_address: 'Shop <shop@example.com>',
};
export const ADA = { channel: 'email', email: 'ada@example.com' } as const;
const MAIL = { subject: 'Your order', html: '<p>Shipped</p>', text: 'Shipped' };
export const mailOf = (more: object = {}) => ({ kind: 'email', email: { ...MAIL, ...more } }) as const;

/** A refusal by the name of its error, in the header. */
const refusal = (status: number, name: string, message: string) => ({
  status,
  headers: { 'x-amzn-errortype': `${name}:http://internal.amazon.com/coral/` },
  body: { message },
});
const CONFIGURATION = { kind: 'failed', cause: 'configuration' };

export const AWS_SES: VendorMatrix = {
  kind: awsSesKind,
  settings: () => SETTINGS,
  message: { rendered: mailOf(), recipient: ADA },
  rows: {
    accepted: {
      answer: { status: 200, body: { MessageId: '0107-1' } },
      outcome: { kind: 'accepted', reference: { id: '0107-1' }, delivered: false },
    },
    badAddress: {
      answer: refusal(400, 'BadRequestException', 'Domain starts with dot'),
      outcome: { kind: 'failed', cause: 'permanent', error: 'Amazon SES answered 400: Domain starts with dot' },
    },
    badCredentials: {
      answer: refusal(403, 'UnrecognizedClientException', 'The security token included in the request is invalid.'),
      outcome: CONFIGURATION,
    },
    tooLarge: { answer: refusal(413, 'RequestEntityTooLargeException', ''), outcome: { kind: 'failed', cause: 'permanent' } },
    'a rejected mail': {
      answer: refusal(400, 'MessageRejected', 'The mail has a virus.'),
      outcome: { kind: 'failed', cause: 'permanent' },
    },
    'a sender that is not verified': {
      answer: { status: 400, body: { __type: 'com.amazonaws.ses#MessageRejected', message: 'Email address is not verified.' } },
      outcome: CONFIGURATION,
    },
    'a domain that is not verified': { answer: refusal(400, 'MailFromDomainNotVerifiedException', ''), outcome: CONFIGURATION },
    'a suspended account': { answer: refusal(400, 'AccountSuspendedException', ''), outcome: CONFIGURATION },
    'paused sending': { answer: refusal(400, 'SendingPausedException', ''), outcome: CONFIGURATION },
    'a limit of the account': { answer: refusal(400, 'LimitExceededException', ''), outcome: CONFIGURATION },
    'a configuration set that does not exist': { answer: refusal(404, 'NotFoundException', ''), outcome: CONFIGURATION },
    'too many mails a second': {
      answer: refusal(429, 'TooManyRequestsException', 'Maximum sending rate exceeded.'),
      outcome: { kind: 'retry', retryAfterMs: undefined, outage: true },
    },
    'too many mails a day': {
      answer: refusal(400, 'ThrottlingException', 'Daily message quota exceeded.'),
      outcome: { kind: 'retry', retryAfterMs: 600_000, outage: true },
    },
  },
  throttled: { message: 'Maximum sending rate exceeded.' },
  failing: { message: 'Unavailable' },
  unfit: {
    rendered: mailOf({ cc: Array.from({ length: 50 }, (_, i) => `copy-${i}@example.com`) }),
    recipient: ADA,
    reason: 'accepts 50 recipients',
  },
  test: {
    operation: 'account',
    good: { status: 200, body: { SendingEnabled: true } },
    wrong: refusal(403, 'InvalidClientTokenId', 'The security token included in the request is invalid.'),
  },
};
