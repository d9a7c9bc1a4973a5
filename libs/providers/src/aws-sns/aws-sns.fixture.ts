import type { VendorMatrix } from '../vendor/matrix.fixture';
import { awsSnsKind } from './aws-sns';

export const SETTINGS = {
  access_key_id: 'AKIDEXAMPLE000000',
  secret_access_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'eu-central-1',
};
const recipient = { channel: 'sms', phone_number: '+49 151 23456789' } as const;
const NAMESPACE = 'http://sns.amazonaws.com/doc/2010-03-31/';
const result = (action: string, content: string) => ({
  status: 200,
  body: `<${action}Response xmlns="${NAMESPACE}"><${action}Result>${content}</${action}Result></${action}Response>`,
});
const failureBody = (code: string, message: string) =>
  `<ErrorResponse xmlns="${NAMESPACE}"><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;
const failure = (status: number, code: string, message = 'Something is wrong') => ({ status, body: failureBody(code, message) });
const CONFIGURATION = { kind: 'failed', cause: 'configuration' };
const PERMANENT = { kind: 'failed', cause: 'permanent' };

export const AWS_SNS: VendorMatrix = {
  kind: awsSnsKind,
  settings: () => SETTINGS,
  message: { rendered: { kind: 'sms', sms: { text: 'Shipped' } }, recipient },
  rows: {
    accepted: {
      answer: result('Publish', '<MessageId>sns-1</MessageId>'),
      outcome: { kind: 'accepted', reference: { id: 'sns-1' }, delivered: false },
    },
    badAddress: {
      answer: failure(400, 'InvalidParameter', 'Invalid parameter: PhoneNumber Reason: +1 is not valid to publish to'),
      outcome: {
        kind: 'failed',
        cause: 'recipient',
        reason: 'BOUNCED',
        reasonCode: 'HARD',
        error: 'Amazon SNS answered 400: Invalid parameter: PhoneNumber Reason: +1 is not valid to publish to (InvalidParameter)',
      },
    },
    'another invalid parameter': { answer: failure(400, 'ParameterValueInvalid', 'Invalid parameter: SenderID'), outcome: PERMANENT },
    'a number that answered STOP': { answer: failure(400, 'OptedOut'), outcome: { kind: 'failed', cause: 'recipient', reason: 'FAILED' } },
    'a number that answered STOP, in words': {
      answer: failure(400, 'InvalidParameter', 'Invalid parameter: PhoneNumber Reason: phone number is opted out'),
      outcome: { kind: 'failed', cause: 'recipient', reason: 'FAILED' },
    },
    badCredentials: { answer: failure(403, 'InvalidClientTokenId'), outcome: CONFIGURATION },
    'a missing permission': { answer: failure(403, 'AuthorizationError'), outcome: CONFIGURATION },
    'a service that is not enabled': { answer: failure(403, 'OptInRequired'), outcome: CONFIGURATION },
    'too many messages': { answer: failure(400, 'Throttling', 'Rate exceeded'), outcome: { kind: 'retry', outage: true } },
    'too many keys in use': { answer: failure(400, 'KMSThrottling'), outcome: { kind: 'retry', outage: true } },
    'an internal error': { answer: failure(500, 'InternalError'), outcome: { kind: 'retry', outage: true } },
    tooLarge: { answer: failure(413, 'RequestEntityTooLarge'), outcome: PERMANENT },
  },
  throttled: failureBody('Throttling', 'Rate exceeded'),
  failing: failureBody('ServiceUnavailable', 'Unavailable'),
  unfit: {
    rendered: { kind: 'sms', sms: { text: 'a'.repeat(1_601) } },
    recipient,
    reason: 'Amazon SNS accepts texts of 1600 characters, not 1601 characters (11 segments of GSM-7)',
  },
  test: {
    operation: 'attributes',
    good: result('GetSMSAttributes', '<attributes></attributes>'),
    wrong: failure(403, 'SignatureDoesNotMatch'),
  },
};
