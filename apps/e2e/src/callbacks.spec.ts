import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import { waitUntil } from '@tidings/testing/wait-until';
import { SharedSystem } from './testing/shared-system';

const PUBLIC_URL = 'https://notify.example.com';
const ACCOUNT = `AC${'0'.repeat(32)}`;
const AUTH_TOKEN = 'the-token-of-the-account';
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

describe('what vendors call back', () => {
  let system: SharedSystem;
  let vendor: CapturingHttp;
  let sendgrid: string;
  let twilio: string;

  beforeAll(async () => {
    system = await SharedSystem.join();
    vendor = await CapturingHttp.start();
    vendor.answering = (answer, { url }) =>
      url === '/v3/mail/send' ? answer.writeHead(202, { 'x-message-id': 'sg-1' }).end() : answer.writeHead(201).end('{"sid":"SM1"}');
    const base_url = new URL(vendor.url).origin;
    const webhook_public_key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    const mails = { api_key: 'SG.the-key-of-the-shop', from_address: 'shop@example.com', base_url, webhook_public_key };
    sendgrid = await configure('sendgrid', mails);
    twilio = await configure('twilio', { account_sid: ACCOUNT, auth_token: AUTH_TOKEN, from: '+15005550006', base_url });
  });
  afterAll(async () => {
    await vendor?.stop();
    await system?.leave();
  });

  /** Resolves with the path of the callback address. */
  async function configure(provider: string, settings: object) {
    const { body: created } = await system.client.request<{ id: string }>('POST', '/providers', { body: { provider, settings } });
    const { body } = await system.client.request<{ callback_url: string }>('GET', `/providers/${created.id}`);
    return body.callback_url.slice(PUBLIC_URL.length);
  }

  async function send(to: object, channel: string) {
    const content = { title: 'Shipped', body: 'Your order has shipped.' };
    const message = { to, content, routing: { method: 'single', channels: [channel] } };
    const { body } = await system.client.request<{ requestId: string }>('POST', '/send', { body: { message } });
    await reaches(body.requestId, 'SENT');
    return body.requestId;
  }

  const event = (message: string, fields: object) => {
    return {
      email: 'ada@example.com',
      timestamp: Math.floor(Date.now() / 1_000),
      tidings_delivery: `${message}.0`,
      sg_message_id: 'sg-1.x',
      ...fields,
    };
  };
  function callBack(path: string, events: readonly object[], timestamp = String(Math.floor(Date.now() / 1_000))) {
    const body = JSON.stringify(events);
    const headers = {
      'content-type': 'application/json',
      'x-twilio-email-event-webhook-timestamp': timestamp,
      'x-twilio-email-event-webhook-signature': sign('sha256', Buffer.from(`${timestamp}${body}`), privateKey).toString('base64'),
    };
    return fetch(`${system.url}${path}`, { method: 'POST', headers, body });
  }
  const reaches = (message: string, status: string) =>
    waitUntil(async () => (await system.client.message(message)).status === status, { what: `message ${message} to be ${status}` });
  const historyOf = async (message: string) => {
    const { body } = await system.client.request<{ results: { type: string }[] }>('GET', `/messages/${message}/history`);
    return body.results.map(({ type }) => type);
  };

  it('moves a mail of SendGrid once, also where it comes twice', async () => {
    const message = await send({ email: 'ada@example.com' }, 'email');
    const events = [event(message, { event: 'open', sg_event_id: 'e2' }), event(message, { event: 'delivered', sg_event_id: 'e1' })];

    for (const _time of [1, 2]) expect((await callBack(sendgrid, events)).status).toBe(200);

    await reaches(message, 'OPENED');
    await waitUntil(async () => (await historyOf(message)).includes('DELIVERED'));
    const types = await historyOf(message);
    expect(types.filter((type) => type === 'DELIVERED' || type === 'OPENED').sort()).toEqual(['DELIVERED', 'OPENED']);
  });

  it('ends a mail that bounced, and the next ones to its address', async () => {
    const message = await send({ email: 'bob@example.com' }, 'email');

    const fields = { email: 'bob@example.com', type: 'bounce', reason: '550 5.1.1 no such user', sg_event_id: 'e3' };
    const bounce = event(message, { event: 'bounce', ...fields });
    expect((await callBack(sendgrid, [bounce])).status).toBe(200);

    await reaches(message, 'UNDELIVERABLE');
    expect(await system.client.message(message)).toMatchObject({ reason: 'BOUNCED' });
    const next = await system.client.messageOnce('UNDELIVERABLE', await system.client.send('bob@example.com'));
    expect(next).toMatchObject({ error: expect.stringContaining('The address is suppressed: hard_bounce') as string });
  });

  it('moves an SMS of Twilio by the address that the message named', async () => {
    const message = await send({ phone_number: '+4915123456789' }, 'sms');
    const callback = new URLSearchParams(vendor.received.at(-1)!.body).get('StatusCallback')!;
    expect(callback).toBe(`${PUBLIC_URL}${twilio}?delivery=${message}.0`);
    const form = { MessageSid: 'SM1', MessageStatus: 'undelivered', ErrorCode: '30005', To: '+4915123456789' };
    const names = Object.keys(form).sort() as (keyof typeof form)[];
    const signature = createHmac('sha1', AUTH_TOKEN)
      .update(`${callback}${names.map((name) => `${name}${form[name]}`).join('')}`)
      .digest('base64');

    const post = (given: string) =>
      fetch(`${system.url}${callback.slice(PUBLIC_URL.length)}`, {
        method: 'POST',
        headers: { 'x-twilio-signature': given },
        body: new URLSearchParams(form),
      });
    expect((await post('d3Jvbmc=')).status).toBe(401);
    expect((await post(signature)).status).toBe(200);

    await reaches(message, 'UNDELIVERABLE');
    expect(await system.client.message(message)).toMatchObject({ reason: 'BOUNCED' });
  });

  it('refuses another signature, an old one and another address, and logs no secret', async () => {
    const message = await send({ email: 'ada@example.com' }, 'email');
    const delivered = [event(message, { event: 'delivered', sg_event_id: 'e4' })];

    const old = String(Math.floor(Date.now() / 1_000) - 26 * 3_600);
    expect((await callBack(sendgrid, delivered, old)).status).toBe(401);
    expect((await fetch(`${system.url}${sendgrid}`, { method: 'POST', body: JSON.stringify(delivered) })).status).toBe(401);
    expect((await callBack(`${sendgrid}a`, delivered)).status).toBe(404);
    expect(
      (await callBack(sendgrid, [event('1-00000000-000000000000000000000000', { event: 'delivered', sg_event_id: 'e5' })])).status,
    ).toBe(200);

    const { body } = await system.client.request<{ status: string }>('GET', `/messages/${message}`);
    expect(body.status).toBe('SENT');
    expect(system.output).not.toContain(sendgrid.slice(sendgrid.lastIndexOf('/') + 1));
  });

  it('of one workspace moves no message of another', async () => {
    const message = await send({ email: 'ada@example.com' }, 'email');
    const other = await system.otherClient();
    const webhook_public_key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    const settings = { api_key: 'SG.another', from_address: 'a@example.com', webhook_public_key };
    const { body: created } = await other.request<{ id: string }>('POST', '/providers', { body: { provider: 'sendgrid', settings } });
    const { body } = await other.request<{ callback_url: string }>('GET', `/providers/${created.id}`);

    const foreign = await callBack(body.callback_url.slice(PUBLIC_URL.length), [event(message, { event: 'delivered', sg_event_id: 'e6' })]);
    expect(foreign.status).toBe(200);
    expect((await callBack(sendgrid, [event(message, { event: 'open', sg_event_id: 'e7' })])).status).toBe(200);

    await reaches(message, 'OPENED');
    expect(await historyOf(message)).not.toContain('DELIVERED');
  });
});
