import type { VendorMatrix } from '../vendor/matrix.fixture';
import { twilioKind } from './twilio';

const ACCOUNT = `AC${'0'.repeat(32)}`;
const recipient = { channel: 'sms', phone_number: '+49 151 23456789' } as const;
const failure = (code: number, status: number) => ({ status, body: { code, status, message: 'Something is wrong' } });

export const TWILIO: VendorMatrix = {
  kind: twilioKind,
  settings: () => ({ account_sid: ACCOUNT, auth_token: 'the-token-of-the-account', from: '+15005550006' }),
  message: { rendered: { kind: 'sms', sms: { text: 'Shipped' } }, recipient },
  rows: {
    accepted: {
      answer: { status: 201, body: { sid: 'SM1', status: 'queued', num_segments: '1' } },
      outcome: { kind: 'accepted', reference: { id: 'SM1' }, delivered: false },
    },
    badAddress: {
      answer: failure(21211, 400),
      outcome: {
        kind: 'failed',
        cause: 'recipient',
        reason: 'BOUNCED',
        reasonCode: 'HARD',
        error: 'Twilio answered 400: Something is wrong (21211)',
      },
    },
    'a landline': { answer: failure(21635, 400), outcome: { kind: 'failed', cause: 'recipient', reasonCode: 'HARD' } },
    'a country that is not enabled': { answer: failure(21408, 403), outcome: { kind: 'failed', cause: 'permanent' } },
    'an answer of STOP': { answer: failure(21610, 400), outcome: { kind: 'failed', cause: 'recipient', reason: 'FAILED' } },
    'no route': { answer: failure(21612, 400), outcome: { kind: 'failed', cause: 'permanent' } },
    'a full queue': { answer: failure(21611, 400), outcome: { kind: 'retry' } },
    'too many requests by code': { answer: failure(20429, 429), outcome: { kind: 'retry' } },
    'a sender of another account': { answer: failure(21606, 400), outcome: { kind: 'failed', cause: 'configuration' } },
    badCredentials: { answer: failure(20003, 401), outcome: { kind: 'failed', cause: 'configuration' } },
    tooLarge: { answer: failure(21617, 400), outcome: { kind: 'failed', cause: 'permanent' } },
  },
  throttled: { code: 20429, status: 429, message: 'Too many requests' },
  unfit: {
    rendered: { kind: 'sms', sms: { text: 'a'.repeat(1_601) } },
    recipient,
    reason: 'Twilio accepts texts of 1600 characters, not 1601 characters (11 segments of GSM-7)',
  },
  test: { operation: 'list', good: { status: 200, body: { messages: [] } }, wrong: failure(20003, 401) },
};
