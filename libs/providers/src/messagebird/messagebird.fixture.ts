import type { VendorMatrix } from '../vendor/matrix.fixture';
import { messagebirdKind } from './messagebird';

const recipient = { channel: 'sms', phone_number: '+49 151 23456789' } as const;
const failure = (status: number, code: number, description = 'Something is wrong', parameter: string | null = null) => ({
  status,
  body: { errors: [{ code, description, parameter }] },
});
const CONFIGURATION = { kind: 'failed', cause: 'configuration' };
const PERMANENT = { kind: 'failed', cause: 'permanent' };

export const MESSAGEBIRD: VendorMatrix = {
  kind: messagebirdKind,
  settings: () => ({ access_key: 'the-key-of-the-account', originator: 'Shop' }),
  message: { rendered: { kind: 'sms', sms: { text: 'Shipped' } }, recipient },
  rows: {
    accepted: {
      answer: { status: 201, body: { id: 'mb-1' } },
      outcome: { kind: 'accepted', reference: { id: 'mb-1' }, delivered: false },
    },
    badAddress: {
      answer: failure(422, 9, 'no (correct) recipients found', 'recipients'),
      outcome: {
        kind: 'failed',
        cause: 'recipient',
        reason: 'BOUNCED',
        reasonCode: 'HARD',
        error: 'MessageBird answered 422: no (correct) recipients found (9)',
      },
    },
    'an invalid number': {
      answer: failure(422, 10, 'recipient is invalid', 'recipient'),
      outcome: { cause: 'recipient', reasonCode: 'HARD' },
    },
    'an invalid sender': { answer: failure(422, 10, 'originator is invalid', 'originator'), outcome: PERMANENT },
    'an empty account': { answer: failure(422, 25, 'Not enough balance'), outcome: CONFIGURATION },
    'a request that is not allowed': { answer: failure(422, 2, 'Request not allowed'), outcome: CONFIGURATION },
    'an internal error': { answer: failure(422, 99, 'Internal error'), outcome: { kind: 'retry', outage: true } },
    badCredentials: { answer: failure(401, 2, 'Request not allowed (incorrect access_key)', 'access_key'), outcome: CONFIGURATION },
    tooLarge: { answer: failure(422, 10, 'body is too long', 'body'), outcome: PERMANENT },
  },
  unfit: {
    rendered: { kind: 'sms', sms: { text: 'ж'.repeat(604) } },
    recipient,
    reason: 'MessageBird accepts texts of 9 segments, not 604 characters (10 segments of UCS-2)',
  },
  test: {
    operation: 'balance',
    good: { status: 200, body: { amount: 9.2 } },
    wrong: failure(401, 2, 'Request not allowed (incorrect access_key)', 'access_key'),
  },
};
