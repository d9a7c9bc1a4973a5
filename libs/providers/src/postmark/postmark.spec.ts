import { describeVendor, openVendor } from '../vendor/matrix.fixture';
import { POSTMARK } from './postmark.fixture';

describeVendor(POSTMARK);

it('sends the whole mail', async () => {
  const { peer, send } = await openVendor({ ...POSTMARK, settings: () => ({ server_token: 'a-token', message_stream: 'news' }) });

  await send();

  const { headers, body } = peer.first('send');
  expect(headers).toMatchObject({ 'x-postmark-server-token': 'a-token', accept: 'application/json', 'user-agent': 'tidings' });
  expect(JSON.parse(body)).toEqual({
    From: '"Shop" <shop@example.com>',
    To: 'ada@example.org',
    Cc: '"Käthe, of the office" <kaethe@example.com>, bob@example.com',
    Bcc: 'archive@example.com',
    ReplyTo: 'help@example.com',
    Subject: 'Shipped',
    TextBody: 'Shipped',
    HtmlBody: '<p>Shipped</p>',
    Headers: [
      { Name: 'List-Unsubscribe', Value: '<https://example.com/u>' },
      { Name: 'List-Unsubscribe-Post', Value: 'List-Unsubscribe=One-Click' },
    ],
    Attachments: [{ Name: 'März.txt', Content: 'aGVsbG8=', ContentType: 'text/plain' }],
    Metadata: { tidings_delivery: '1-5e2b2615-05efbb3acab9172f88dd3f6f.0' },
    MessageStream: 'news',
  });
});

it('takes the changes of a send: sender, stream and fields of the mail', async () => {
  const { peer, send } = await openVendor(POSTMARK);
  const { recipient } = POSTMARK.message;
  const override = {
    config: { from_address: 'sale@example.com', message_stream: 'sale' },
    body: { Tag: 'sale', Metadata: { campaign: 'spring' } },
  };

  await send({ rendered: { kind: 'email', email: { subject: 'Hi', text: 'Hello' } }, recipient }, { override });

  expect(JSON.parse(peer.first('send').body)).toEqual({
    From: 'sale@example.com',
    To: 'ada@example.org',
    Subject: 'Hi',
    TextBody: 'Hello',
    Tag: 'sale',
    Metadata: { tidings_delivery: '1-5e2b2615-05efbb3acab9172f88dd3f6f.0', campaign: 'spring' },
    MessageStream: 'sale',
  });
});

it('sends no mail with a text over 5 MB', async () => {
  const { peer, send } = await openVendor(POSTMARK);
  const rendered = { kind: 'email', email: { subject: 'Hi', text: 'x'.repeat(5 * 1024 * 1024 + 1) } } as const;

  expect(await send({ ...POSTMARK.message, rendered })).toMatchObject({
    kind: 'failed',
    cause: 'permanent',
    error: 'Postmark accepts 5242880 bytes of text or of HTML, not 5242881',
  });
  expect(peer.server.received).toEqual([]);
});

it('sends no mail with an address beyond ASCII', async () => {
  const { peer, send } = await openVendor(POSTMARK);
  const { rendered } = POSTMARK.message;

  expect(await send({ rendered, recipient: { channel: 'email', email: 'jörg@example.org' } })).toMatchObject({
    kind: 'failed',
    cause: 'permanent',
    error: 'Postmark accepts only ASCII before the @ of an address, not "jörg@example.org"',
  });
  expect(peer.server.received).toEqual([]);
});
