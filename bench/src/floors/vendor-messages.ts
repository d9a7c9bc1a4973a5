import type { Recipient } from '@tidings/providers/recipient';
import type { Rendered } from '@tidings/providers/rendered';
import { MAIL_HTML, MAIL_TEXT } from '../send-request';
import type { PeerAnswer } from './vendor-peer';

/** What is sent by a vendor, and an answer as the vendor makes it. */
export interface VendorCase {
  settings: Record<string, unknown>;
  rendered: Rendered;
  recipient: Recipient;
  answer: PeerAnswer;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const ACCOUNT = `AC${'0'.repeat(32)}`;

/** By the vendor's key. */
export const VENDOR_CASES: Readonly<Record<string, VendorCase>> = {
  sendgrid: {
    settings: { api_key: 'SG.a-key-of-the-bench', from_address: 'Shop <shop@example.com>' },
    rendered: { kind: 'email', email: { subject: 'Your order has shipped', text: MAIL_TEXT, html: MAIL_HTML } },
    recipient: { channel: 'email', email: 'ada@example.org' },
    answer: { status: 202, headers: { 'x-message-id': 'bench-14c5d75ce93' }, body: '' },
  },
  twilio: {
    settings: { account_sid: ACCOUNT, auth_token: 'a-token-of-the-bench', from: '+15005550006' },
    rendered: { kind: 'sms', sms: { text: 'Hello Ada, your order A-17 has shipped and arrives today.' } },
    recipient: { channel: 'sms', phone_number: '+4915123456789' },
    answer: {
      status: 201,
      headers: JSON_TYPE,
      body: JSON.stringify({
        ...{ account_sid: ACCOUNT, api_version: '2010-04-01', body: 'Hello Ada, your order A-17 has shipped and arrives today.' },
        ...{ date_created: 'Sun, 29 Nov 2026 12:00:00 +0000', date_sent: null, direction: 'outbound-api', error_code: null },
        ...{ from: '+15005550006', num_media: '0', num_segments: '1', price: null, price_unit: null, sid: `SM${'1'.repeat(32)}` },
        ...{ status: 'queued', to: '+4915123456789', uri: `/2010-04-01/Accounts/${ACCOUNT}/Messages/SM${'1'.repeat(32)}.json` },
      }),
    },
  },
  slack: {
    settings: { access_token: 'xoxb-a-token-of-the-bench' },
    rendered: {
      kind: 'direct_message',
      directMessage: {
        text: 'Your order A-17 has shipped',
        blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'Your order *A-17* has shipped and arrives today.' } }],
      },
    },
    recipient: { channel: 'direct_message', slack: { channel: 'C0123456789' } },
    answer: {
      status: 200,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify({
        ...{ ok: true, channel: 'C0123456789', ts: '1503435956.000247' },
        message: { text: 'Your order A-17 has shipped', username: 'shop', bot_id: 'B19LU7CSY', type: 'message', ts: '1503435956.000247' },
      }),
    },
  },
};
