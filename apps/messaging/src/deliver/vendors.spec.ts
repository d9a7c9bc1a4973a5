import { messages } from '@tidings/contracts/messaging/messages';
import { providers } from '@tidings/contracts/messaging/providers';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import { Messaging } from '../testing/start-messaging';

import '@tidings/testing/quiet';

const ADDRESSES = { email: 'ada@example.com', phone_number: '+4915123456789' };
const SID = '0'.repeat(32);

/** Each vendor behind one server: SendGrid, Twilio and Slack have different paths. */
describe('a message that vendors deliver', () => {
  let messaging: Messaging;
  let vendors: CapturingHttp;

  beforeAll(async () => {
    messaging = await Messaging.create();
    await messaging.start();
    vendors = await CapturingHttp.start();
    const base_url = new URL(vendors.url).origin;
    const configure = (provider: string, settings: object) =>
      messaging.call(providers.create, { provider, settings: { ...settings, base_url } });
    await configure('sendgrid', { api_key: 'SG.the-key-of-the-shop', from_address: 'shop@example.com' });
    await configure('twilio', { account_sid: `AC${SID}`, auth_token: 'the-token', from: '+15005550006' });
    await configure('slack', { access_token: 'xoxb-the-token' });
  });
  beforeEach(() => {
    vendors.received.length = 0;
    vendors.answering = (answer, { url }) => {
      if (url === '/v3/mail/send') answer.writeHead(202, { 'x-message-id': 'sg-1' }).end();
      else if (url === '/chat.postMessage') answer.writeHead(200).end('{"ok":true,"channel":"U1","ts":"1.2"}');
      else answer.writeHead(201).end('{"sid":"SM1"}');
    };
  });
  afterAll(async () => {
    await messaging.end();
    await vendors.stop();
  });

  const send = async (profile: object, ...channels: string[]) =>
    (await messaging.send({ profile: { ...profile }, routing: { method: 'single', channels } }))[0]!;
  const record = (id: string) => messaging.call(messages.retrieve, { message_id: id });
  const paths = () => vendors.received.map(({ url }) => url);

  it('is sent, and not delivered before a vendor reports it, with the id of the vendor', async () => {
    for (const [channel, provider, id] of [
      ['email', 'sendgrid', 'sg-1'],
      ['sms', 'twilio', 'SM1'],
      ['direct_message', 'slack', 'U1:1.2'],
    ] as const) {
      const message = await send({ ...ADDRESSES, slack: { user_id: 'U1' } }, channel);
      await messaging.waitForStatus(message, 'SENT');

      const { providers: used } = await record(message);
      expect(used).toMatchObject([{ provider, status: 'SENT', reference: { id } }]);
      expect(used![0]).not.toHaveProperty('delivered');
    }
    const [, slack] = vendors.received.slice(-2);
    expect(JSON.parse(slack!.body)).toMatchObject({ channel: 'U1', blocks: expect.any(Array) as unknown[] });
  });

  it('goes to the next route where a vendor refuses it, or cannot reach the recipient', async () => {
    vendors.answering = (answer, { url }) =>
      url === '/v3/mail/send'
        ? answer.writeHead(401).end('{"errors":[{"message":"no such key"}]}')
        : answer.writeHead(201).end('{"sid":"SM2"}');

    const message = await send({ ...ADDRESSES, discord: { user_id: '1' } }, 'direct_message', 'email', 'sms');
    await messaging.waitForStatus(message, 'SENT');

    expect(paths()).toEqual(['/v3/mail/send', `/2010-04-01/Accounts/AC${SID}/Messages.json`]);
    expect((await record(message)).providers).toMatchObject([
      { provider: 'sendgrid', status: 'UNDELIVERABLE', error: 'SendGrid answered 401: no such key' },
      { provider: 'twilio', status: 'SENT', reference: { id: 'SM2' } },
    ]);
  });

  it('has no route where its only vendor needs another address, which the error names', async () => {
    const message = await send({ discord: { user_id: '1' } }, 'slack');
    await messaging.waitForStatus(message, 'UNROUTABLE');

    expect(await record(message)).toMatchObject({ error: 'No provider can reach this recipient: slack needs profile.slack' });
    expect(paths()).toEqual([]);
  });

  it('bounces where the vendor knows no such address, by its own code', async () => {
    vendors.answer(400, { code: 21211, message: "Invalid 'To' Phone Number" });

    const message = await send(ADDRESSES, 'sms');
    await messaging.waitForStatus(message, 'UNDELIVERABLE');

    expect(await record(message)).toMatchObject({
      reason: 'BOUNCED',
      error: "Twilio answered 400: Invalid 'To' Phone Number (21211)",
    });
  });
});
