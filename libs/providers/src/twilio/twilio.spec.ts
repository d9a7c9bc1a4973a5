import { describeVendor, openVendor } from '../vendor/matrix.fixture';
import { TWILIO } from './twilio.fixture';
import { twilioKind } from './twilio';

describeVendor(TWILIO);

const SID = '0'.repeat(32);
const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

it('sends the text as a form, from the number', async () => {
  const { peer, send } = await openVendor(TWILIO);

  await send();

  const { url, headers, body } = peer.first('send');
  expect(url).toBe(`/2010-04-01/Accounts/AC${SID}/Messages.json`);
  expect(headers).toMatchObject({
    authorization: basic(`AC${SID}`, 'the-token-of-the-account'),
    'content-type': 'application/x-www-form-urlencoded',
  });
  expect(body).toBe('To=%2B4915123456789&Body=Shipped&From=%2B15005550006');
});

it('sends by a messaging service, with an API key and a period of validity', async () => {
  const settings = { account_sid: `AC${SID}`, api_key: `SK${SID}`, api_key_secret: 'the-secret', messaging_service_sid: `MG${SID}` };
  const { peer, send } = await openVendor({ ...TWILIO, settings: () => ({ ...settings, validity_period: 600 }) });

  await send();

  const { headers, body } = peer.first('send');
  expect(headers).toMatchObject({ authorization: basic(`SK${SID}`, 'the-secret') });
  expect(body).toBe(`To=%2B4915123456789&Body=Shipped&MessagingServiceSid=MG${SID}&ValidityPeriod=600`);
  expect(peer.problems).toEqual([]);
});

it('takes the changes of a send: fields of the form, and the sender', async () => {
  const { peer, send } = await openVendor(TWILIO);
  peer.problems.length = 0;

  await send(undefined, {
    override: { body: { MediaUrl: ['https://a.example/1.png', 'https://a.example/2.png'] }, config: { from: '12345' } },
  });

  const form = new URLSearchParams(peer.first('send').body);
  expect([form.getAll('MediaUrl'), form.get('From')]).toEqual([['https://a.example/1.png', 'https://a.example/2.png'], '12345']);
  expect(await send(undefined, { override: { body: { MediaUrl: { not: 'a text' } } } })).toMatchObject({
    kind: 'failed',
    cause: 'permanent',
    error: 'override.body.MediaUrl must be a text, or an array of texts',
  });
});

it.each([
  [{ account_sid: 'AC1', auth_token: 't', from: '+1' }, 'settings.account_sid must be AC and 32 hexadecimal digits'],
  [{ account_sid: `AC${SID}`, from: '+1' }, 'settings.auth_token is required, or settings.api_key with settings.api_key_secret'],
  [{ account_sid: `AC${SID}`, api_key: `SK${SID}`, from: '+1' }, 'settings.api_key_secret is required beside settings.api_key'],
  [{ account_sid: `AC${SID}`, auth_token: 't' }, 'settings.from or settings.messaging_service_sid is required, not both'],
  [{ account_sid: `AC${SID}`, auth_token: 't', from: '+1', base_url: 'ftp://x' }, 'settings.base_url must be an http or https URL'],
])('refuses the settings %j', (settings, sentence) => {
  expect(() => twilioKind.parseSettings(settings)).toThrow(sentence);
});
