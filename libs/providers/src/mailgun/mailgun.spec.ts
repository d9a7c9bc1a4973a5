import { describeVendor, openVendor } from '../vendor/matrix.fixture';
import { MAILGUN } from './mailgun.fixture';
import { mailgunKind } from './mailgun';

describeVendor(MAILGUN);

/** The form as Node reads it. */
async function formOf({ headers, body }: { headers: { 'content-type'?: string }; body: string }) {
  const form = await new Response(body, { headers: { 'content-type': headers['content-type']! } }).formData();
  return [...form] as [name: string, value: string | File][];
}

it('sends the whole mail as a form with files', async () => {
  const { peer, send } = await openVendor(MAILGUN);

  await send();

  const received = peer.first('send');
  expect(received.url).toBe('/v3/mail.example.com/messages');
  expect(received.headers).toMatchObject({
    authorization: `Basic ${Buffer.from('api:the-key-of-the-domain').toString('base64')}`,
    'user-agent': 'tidings',
  });
  const fields = await formOf(received);
  expect(fields.filter(([, value]) => typeof value === 'string')).toEqual([
    ['from', '"Shop" <shop@example.com>'],
    ['to', 'ada@example.org'],
    ['cc', '"Käthe, of the office" <kaethe@example.com>'],
    ['cc', 'bob@example.com'],
    ['bcc', 'archive@example.com'],
    ['subject', 'Shipped'],
    ['text', 'Shipped'],
    ['html', '<p>Shipped</p>'],
    ['h:Reply-To', '=?UTF-8?Q?K=C3=A4the?= <help@example.com>'],
    ['h:List-Unsubscribe', '<https://example.com/u>'],
    ['h:List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
    ['v:tidings_delivery', '1-5e2b2615-05efbb3acab9172f88dd3f6f.0'],
  ]);
  const files = fields.flatMap(([name, value]) => (typeof value === 'string' ? [] : [{ name, value }]));
  expect(await Promise.all(files.map(async ({ name, value }) => [name, value.name, value.type, await value.text()]))).toEqual([
    ['attachment', 'März "2".bin', 'application/octet-stream', 'hello'],
    ['attachment', 'empty.txt', 'text/plain', ''],
  ]);
});

it('takes the changes of a send: fields of the form', async () => {
  const { peer, send } = await openVendor(MAILGUN);
  const override = { body: { 'o:tag': ['sale', 'spring'], html: null, 'h:X-Campaign': 'spring' } };

  await send(undefined, { override });

  const fields = await formOf(peer.first('send'));
  expect(fields.filter(([name]) => /^(o:tag|html|bcc|h:X)/.test(name))).toEqual([
    ['bcc', 'archive@example.com'],
    ['o:tag', 'sale'],
    ['o:tag', 'spring'],
    ['h:X-Campaign', 'spring'],
  ]);
  expect(await send(undefined, { override: { body: { attachment: { path: '/etc/passwd' } } } })).toMatchObject({
    kind: 'failed',
    cause: 'permanent',
    error: 'override.body.attachment must be a text, or an array of texts',
  });
});

it('refuses a domain that is none', () => {
  expect(() => mailgunKind.parseSettings({ api_key: 'k', domain: 'a/../b' })).toThrow(
    'settings.domain must be a domain, such as mail.example.com',
  );
});
