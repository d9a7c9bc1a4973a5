import type { VendorMatrix } from '../vendor/matrix.fixture';
import { vonageKind } from './vonage';

const recipient = { channel: 'sms', phone_number: '+49 151 23456789' } as const;
const part = (id: string) => ({ status: '0', 'message-id': id });
const refusedPart = (status: string) => ({ status, 'error-text': 'Something is wrong' });
const answered = (...messages: object[]) => ({ status: 200, body: { 'message-count': String(messages.length), messages } });
const refused = (status: string) => answered(refusedPart(status));
const CONFIGURATION = { kind: 'failed', cause: 'configuration' };
const PERMANENT = { kind: 'failed', cause: 'permanent' };

export const VONAGE: VendorMatrix = {
  kind: vonageKind,
  settings: () => ({ api_key: 'abcd1234', api_secret: 'the-secret-of-the-account', from: '+49 (30) 1234' }),
  message: { rendered: { kind: 'sms', sms: { text: 'Shipped' } }, recipient },
  rows: {
    accepted: { answer: answered(part('v-1')), outcome: { kind: 'accepted', reference: { id: 'v-1' }, delivered: false } },
    'accepted in several parts': {
      answer: answered(part('v-1'), part('v-2'), part('v-3')),
      outcome: { kind: 'accepted', reference: { id: 'v-1', parts: '3' } },
    },
    'accepted without parts': { answer: answered(), outcome: { kind: 'accepted', reference: {} } },
    'one part refused': { answer: answered(part('v-1'), refusedPart('5')), outcome: { kind: 'retry' } },
    badAddress: {
      answer: refused('7'),
      outcome: {
        kind: 'failed',
        cause: 'recipient',
        reason: 'BOUNCED',
        reasonCode: 'HARD',
        error: 'Vonage answered 200: Something is wrong (7)',
      },
    },
    'an invalid number': { answer: refused('3'), outcome: PERMANENT },
    'an unroutable number': { answer: refused('6'), outcome: PERMANENT },
    'an illegal sender': { answer: refused('15'), outcome: PERMANENT },
    'an unknown status': { answer: refused('99'), outcome: PERMANENT },
    'too many messages': { answer: refused('1'), outcome: { kind: 'retry', outage: true } },
    'too many connections': { answer: refused('10'), outcome: { kind: 'retry', outage: true } },
    badCredentials: { answer: refused('4'), outcome: CONFIGURATION },
    'a barred account': { answer: refused('8'), outcome: CONFIGURATION },
    'an empty account': { answer: refused('9'), outcome: CONFIGURATION },
    'a wrong signature': { answer: refused('14'), outcome: CONFIGURATION },
    'an account without this interface': { answer: refused('11'), outcome: CONFIGURATION },
    tooLarge: { answer: refused('12'), outcome: PERMANENT },
  },
  unfit: {
    rendered: { kind: 'sms', sms: { text: 'é'.repeat(3_201) } },
    recipient,
    reason: 'Vonage accepts texts of 3200 characters, not 3201 characters (21 segments of GSM-7)',
  },
  test: {
    operation: 'balance',
    good: { status: 200, body: { value: 3.14 } },
    wrong: { status: 401, body: { 'error-code': '401', 'error-code-label': 'authentication failed' } },
  },
};
