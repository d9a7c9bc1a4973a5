import { createHmac } from 'node:crypto';
import { ServiceError } from '@tidings/contracts/core/errors';
import { type FindCallback, providerCallbacks } from '@tidings/contracts/messaging/provider-callbacks';
import { providerConfigurationChanged } from '@tidings/contracts/messaging/providers';
import { providerEventReported, type ProviderEventReported } from '@tidings/contracts/messaging/provider-events';
import { startTestGateway, type TestGateway } from '../testing/start-test-gateway';

const WORKSPACE = '5f2c8a50-0000-4000-8000-000000000000';
const MESSAGE = '1-69a40ce0-5f2b9c01d3e84a7766aa10fe';
const PUBLIC_URL = 'https://notify.example.com';
const TOKEN = 'the-token-of-the-account';
const PATH = '/providers/callback/twilio/prv_1/the-secret';

let gateway: TestGateway;
let secrets: Record<string, string>;
beforeEach(async () => {
  secrets = { prv_1: 'the-secret' };
  gateway = await startTestGateway({ publicUrl: PUBLIC_URL });
  gateway.client.answer(providerCallbacks.find, (_context, { configuration_id: id, secret }: FindCallback) => {
    if (secrets[id] !== secret) throw new ServiceError('not_found', 'There is no such callback address');
    return { workspace_id: WORKSPACE, settings: { auth_token: TOKEN } };
  });
});
afterEach(() => gateway.stop());

const lookups = () => gateway.client.calls.filter(({ pattern }) => pattern === providerCallbacks.find.pattern).length;
const appended = () =>
  gateway.events.appended
    .filter(({ topic }) => topic === providerEventReported.topic)
    .map(({ payload }) => payload as ProviderEventReported);

function signed(path: string, fields: Record<string, string>) {
  const names = Object.keys(fields).sort();
  const text = `${PUBLIC_URL}${path}${names.map((name) => `${name}${fields[name]}`).join('')}`;
  return createHmac('sha1', TOKEN).update(text).digest('base64');
}

async function callBack(fields: Record<string, string> = {}, { path = `${PATH}?delivery=${MESSAGE}.1`, signature = '' } = {}) {
  const form = { MessageSid: 'SM1', MessageStatus: 'delivered', To: '+4915123456789', ...fields };
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'x-twilio-signature': signature || signed(path, form),
  };
  return fetch(`${gateway.url}${path}`, { method: 'POST', headers, body: new URLSearchParams(form).toString() });
}

it('appends the events of a verified callback before it answers, with the message as subject', async () => {
  const answer = await callBack();

  expect([answer.status, await answer.text()]).toEqual([200, '']);
  expect(appended()).toEqual([
    expect.objectContaining({
      workspaceId: WORKSPACE,
      subject: MESSAGE,
      messageId: MESSAGE,
      leaf: 1,
      provider: 'twilio',
      configurationId: 'prv_1',
      kind: 'DELIVERED',
      reference: 'SM1',
      address: '+4915123456789',
    }),
  ]);
});

it('gives an event the same id when it comes again, and looks its address up once', async () => {
  await callBack();
  await callBack();

  const [first, second] = gateway.events.appended.filter(({ topic }) => topic === providerEventReported.topic);
  expect(second!.id).toBe(first!.id);
  expect(lookups()).toBe(1);
});

it('answers 200 to events that mean nothing here, and appends none', async () => {
  expect((await callBack({ MessageStatus: 'sent' })).status).toBe(200);
  expect(appended()).toEqual([]);
});

it('refuses a wrong signature, and appends nothing', async () => {
  const answer = await callBack({}, { signature: signed(PATH, { other: 'fields' }) });

  expect(answer.status).toBe(401);
  expect(await answer.json()).toMatchObject({ message: 'The callback is refused: Its signature is wrong' });
  expect(appended()).toEqual([]);
});

it.each([
  ['a wrong secret', '/providers/callback/twilio/prv_1/another-secret'],
  ['an unknown configuration', '/providers/callback/twilio/prv_2/the-secret'],
  ['an unknown vendor', '/providers/callback/carrier-pigeon/prv_1/the-secret'],
])('answers 404 for %s, without quoting it', async (_which, path) => {
  const answer = await callBack({}, { path });

  const text = await answer.text();
  expect([answer.status, text.includes('secret'), appended()]).toEqual([404, false, []]);
});

it('answers 405 for a method that the vendor does not use, without quoting the secret', async () => {
  const get = await fetch(`${gateway.url}${PATH}`);
  const put = await fetch(`${gateway.url}${PATH}`, { method: 'PUT' });

  for (const answer of [get, put]) expect([answer.status, (await answer.text()).includes('the-secret')]).toEqual([405, false]);
});

it('answers 413 for a body above 1 MB, and 503 while the log is unavailable', async () => {
  expect((await callBack({ Body: 'x'.repeat(1_100_000) })).status).toBe(413);

  gateway.events.failure = new ServiceError('unavailable', 'no log');
  expect((await callBack()).status).toBe(503);
});

it('forgets an address when its configuration changes', async () => {
  expect((await callBack()).status).toBe(200);
  secrets = { prv_1: 'the-new-secret' };
  await gateway.events.append(providerConfigurationChanged, [{ id: '1', payload: { workspaceId: WORKSPACE, id: 'prv_1' } }]);

  expect((await callBack()).status).toBe(404);
});

it('cuts texts of vendors that no record could hold', async () => {
  const long = 'x'.repeat(1_000);
  await callBack({ MessageSid: `SM\0${long}`, MessageStatus: 'failed', ErrorCode: '30008' });

  const [event] = appended();
  expect([event!.reference!.length, event!.kind, event!.code]).toEqual([256, 'FAILED', '30008']);
});
