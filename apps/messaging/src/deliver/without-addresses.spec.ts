import type { Recipient } from '@tidings/providers/recipient';
import { withoutAddresses } from './without-addresses';

const ADA: Recipient = { channel: 'email', email: 'ada@example.com' };

it.each<[string, Recipient, string]>([
  ['450 4.2.1 <ada@example.com>: greylisted', ADA, '450 4.2.1 <***>: greylisted'],
  ['451 copy to max+x@example.org, bo@example.org later', ADA, '451 copy to ***, *** later'],
  [
    'The receiver answered 503: 4915112345 is busy',
    { channel: 'sms', phone_number: '+4915112345' },
    'The receiver answered 503: *** is busy',
  ],
  ['Vonage answered 200: 4915112345', { channel: 'sms', phone_number: '+49 (151) 12345' }, 'Vonage answered 200: ***'],
  ['WhatsApp answered 400: 4915112345', { channel: 'direct_message', phone_number: '+4915112345' }, 'WhatsApp answered 400: ***'],
  ['token t-12345 twice: t-12345', { channel: 'push', tokens: [{ token: 't-12345', provider_key: 'expo' }] }, 'token *** twice: ***'],
  ['The receiver did not answer within 10000 ms', { channel: 'sms', phone_number: '1' }, 'The receiver did not answer within 10000 ms'],
])('masks addresses: %s', (message, recipient, logged) => {
  expect(withoutAddresses(message, recipient)).toBe(logged);
});
