import { describeVendor, openVendor } from '../vendor/matrix.fixture';
import { whatsappKind } from './whatsapp';
import { WHATSAPP } from './whatsapp.fixture';

describeVendor(WHATSAPP);

const settings = WHATSAPP.settings(undefined as never);
const bodies = (received: readonly { body: string }[]) => received.map(({ body }) => JSON.parse(body) as object);
const templateOf = (name: string, code: string) => ({
  type: 'template',
  template: { name, language: { code }, components: [{ type: 'body', parameters: [{ type: 'text', text: 'Shipped: today' }] }] },
});

it('sends a text to the number', async () => {
  const { peer, send } = await openVendor(WHATSAPP);

  await send();

  const { url, headers } = peer.first('send');
  expect([url, headers]).toMatchObject(['/v23.0/106540352242922/messages', { authorization: 'Bearer the-token-of-the-shop' }]);
  expect(bodies(peer.received('send'))).toEqual([
    {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '+4915123456789',
      type: 'text',
      text: { body: 'Shipped:\n  today' },
    },
  ]);
});

it('sends the text as the parameter of the template, of the settings or of the send', async () => {
  const { peer, send } = await openVendor({
    ...WHATSAPP,
    settings: () => ({ ...settings, template_name: 'notice', api_version: 'v30.1' }),
  });
  const template = { name: 'order', language: { code: 'fr' } };

  await send();
  await send(undefined, { override: { config: { template_name: 'sale', template_language: 'de' } } });
  await send(undefined, { override: { body: { template: { ...template, components: null } } } });

  expect(bodies(peer.received('send'))).toMatchObject([
    templateOf('notice', 'en_US'),
    templateOf('sale', 'de'),
    { type: 'template', template },
  ]);
  expect(peer.first('send').url).toBe('/v30.1/106540352242922/messages');
  expect(peer.problems).toEqual([]);
});

it('reaches people by their number alone', () => {
  expect(whatsappKind.recipientOf!({ channel: 'direct_message', phone_number: '+49151', slack: { channel: 'C1' } })).toEqual({
    channel: 'direct_message',
    phone_number: '+49151',
  });
  expect(whatsappKind.recipientOf!({ channel: 'direct_message', slack: { channel: 'C1' } })).toBeUndefined();
});

it.each([
  [{ access_token: 'a b' }, 'settings.access_token must be printable ASCII characters'],
  [{ phone_number_id: '+49 151' }, 'settings.phone_number_id must be digits: the id, not the number'],
  [{ api_version: '23' }, 'settings.api_version must be a version such as v23.0'],
])('refuses the settings %j', (wrong, sentence) => {
  expect(() => whatsappKind.parseSettings({ ...settings, ...wrong })).toThrow(sentence);
});
