import { describeVendor, openVendor } from '../vendor/matrix.fixture';
import { VONAGE } from './vonage.fixture';

describeVendor(VONAGE);

const { recipient } = VONAGE.message;
const sms = (text: string) => ({ rendered: { kind: 'sms', sms: { text } }, recipient }) as const;

it('sends the text as a form, with numbers in digits', async () => {
  const { peer, send } = await openVendor(VONAGE);

  await send();

  const { url, headers, body } = peer.first('send');
  expect(url).toBe('/sms/json');
  expect(headers).toMatchObject({ 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'tidings' });
  expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
    api_key: 'abcd1234',
    api_secret: 'the-secret-of-the-account',
    from: '49301234',
    to: '4915123456789',
    text: 'Shipped',
    type: 'text',
    'client-ref': '1-5e2b2615-05efbb3acab9172f88dd3f6f.0',
  });
});

it.each([
  ['[Größe] für 5 €', 'text'],
  ['Привет', 'unicode'],
  ['Shipped 📦', 'unicode'],
])('sends %s as %s', async (text, type) => {
  const { peer, send } = await openVendor(VONAGE);

  await send(sms(text));

  const form = new URLSearchParams(peer.first('send').body);
  expect([form.get('text'), form.get('type')]).toEqual([text, type]);
});

it('takes the changes of a send: the sender, and fields of the form', async () => {
  const settings = { api_key: 'abcd1234', api_secret: 'the-secret-of-the-account', from: 'Shop', validity_period: 600 };
  const { peer, send } = await openVendor({ ...VONAGE, settings: () => settings });

  await send(undefined, { override: { config: { from: 'Sale 24' }, body: { 'entity-id': '11' } } });

  const form = new URLSearchParams(peer.first('send').body);
  expect(['from', 'ttl', 'entity-id'].map((name) => form.get(name))).toEqual(['Sale 24', '600000', '11']);
});

it('tests the credentials without a secret in the address', async () => {
  const { peer, provider } = await openVendor(VONAGE);
  peer.scripts.set('balance', { status: 200, body: { value: 3.14 } });

  await provider.test(new AbortController().signal);

  expect(peer.received('balance').map(({ url, headers }) => [url, headers.authorization])).toEqual([
    ['/account/get-balance', `Basic ${Buffer.from('abcd1234:the-secret-of-the-account').toString('base64')}`],
  ]);
});
