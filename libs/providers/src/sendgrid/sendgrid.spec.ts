import { describeVendor, openVendor } from '../vendor/matrix.fixture';
import { SENDGRID } from './sendgrid.fixture';

describeVendor(SENDGRID);

it('sends the whole mail', async () => {
  const { peer, send } = await openVendor(SENDGRID);

  await send();

  const { headers, body } = peer.first('send');
  expect(headers).toMatchObject({ authorization: 'Bearer SG.a-key-of-the-shop', 'user-agent': 'tidings' });
  expect(JSON.parse(body)).toEqual({
    personalizations: [
      {
        to: [{ email: 'ada@example.org' }],
        cc: [{ email: 'kaethe@example.com', name: 'Käthe of the office second floor' }],
        bcc: [{ email: 'archive@example.com' }],
        custom_args: { tidings_delivery: '1-5e2b2615-05efbb3acab9172f88dd3f6f.0' },
      },
    ],
    from: { email: 'shop@example.com', name: 'Shop' },
    reply_to_list: [{ email: 'help@example.com' }],
    subject: 'Shipped',
    content: [
      { type: 'text/plain', value: 'Shipped' },
      { type: 'text/html', value: '<p>Shipped</p>' },
    ],
    attachments: [{ content: 'aGVsbG8=', filename: 'invoice.txt', type: 'text/plain', disposition: 'attachment' }],
    headers: { 'List-Unsubscribe': '<https://example.com/u>', 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
  });
});

it.each([
  [{}, 'operator@example.com'],
  [{ config: { from_address: 'sale@example.com' } }, 'sale@example.com'],
])('a mail without a sender, with the override %j, has that of send, settings or operator', async (override, email) => {
  const { peer, send } = await openVendor(SENDGRID, { sender: { address: 'operator@example.com', ascii: true } });
  const { recipient } = SENDGRID.message;

  await send({ rendered: { kind: 'email', email: { subject: 'Hi', text: 'Hello' } }, recipient }, { override });

  expect(JSON.parse(peer.first('send').body)).toMatchObject({ from: { email } });
});

it('waits until the limit of the key is reset', async () => {
  const { send, script } = await openVendor(SENDGRID, { now: () => 1_772_000_000_000 });
  script({ status: 429, headers: { 'x-ratelimit-reset': '1772000009' } });

  expect(await send()).toMatchObject({ kind: 'retry', retryAfterMs: 9_000 });
});

it('refuses an invalid recipient before the call', async () => {
  const { peer, send } = await openVendor(SENDGRID);
  const { rendered } = SENDGRID.message;

  expect(await send({ rendered, recipient: { channel: 'email', email: 'ada at home' } })).toMatchObject({
    cause: 'recipient',
    reasonCode: 'HARD',
  });
  expect(peer.server.received).toEqual([]);
});
