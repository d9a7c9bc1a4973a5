import { describeVendor, openVendor } from '../vendor/matrix.fixture';
import { RESEND } from './resend.fixture';

describeVendor(RESEND);

const { recipient } = RESEND.message;

it('sends the whole mail, with a key that suppresses a second copy', async () => {
  const { peer, send } = await openVendor(RESEND);

  await send();

  const { headers, body } = peer.first('send');
  expect(headers).toMatchObject({
    authorization: 'Bearer re_the-key-of-the-shop',
    'idempotency-key': '1-5e2b2615-05efbb3acab9172f88dd3f6f.0',
    'user-agent': 'tidings',
  });
  expect(JSON.parse(body)).toEqual({
    from: '"Shop" <shop@example.com>',
    to: ['ada@example.org'],
    cc: ['"Käthe, of the office" <kaethe@example.com>'],
    bcc: ['archive@example.com'],
    reply_to: ['help@example.com'],
    subject: 'Shipped',
    text: 'Shipped',
    html: '<p>Shipped</p>',
    headers: { 'List-Unsubscribe': '<https://example.com/u>', 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
    attachments: [{ filename: 'invoice.txt', content: 'aGVsbG8=', content_type: 'text/plain' }],
    tags: [{ name: 'tidings_delivery', value: '1-5e2b2615-05efbb3acab9172f88dd3f6f_0' }],
  });
});

it.each([
  ['invoice.pdf', 'application/pdf', 'application/pdf'],
  ['invoice.txt', 'Text/Plain; charset=utf-8', 'Text/Plain; charset=utf-8'],
  ['invoice.pdf', 'application/octet-stream', undefined],
  ['invoice.pdf', 'image/png', undefined],
  ['invoice', 'application/pdf', 'application/pdf'],
])('of the attachment %s with the type %s it sends the type %s', async (filename, contentType, sent) => {
  const { peer, send } = await openVendor(RESEND);
  const attachments = [{ filename, contentType, content: Buffer.from('hello') }];

  await send({ rendered: { kind: 'email', email: { subject: 'Hi', text: 'Hello', from: 'shop@example.com', attachments } }, recipient });

  const { attachments: received } = JSON.parse(peer.first('send').body) as { attachments: { content_type?: string }[] };
  expect(received.map(({ content_type }) => content_type)).toEqual([sent]);
});

it('accepts also a key that may read the domains', async () => {
  const { peer, provider } = await openVendor(RESEND);
  peer.scripts.set('domains', { status: 200, body: { data: [] } });

  expect(await provider.test(new AbortController().signal)).toEqual({ ok: true });
});
