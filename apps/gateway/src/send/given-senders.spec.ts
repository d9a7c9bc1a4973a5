import { unavailable } from '@tidings/contracts/core/errors';
import { senders } from '@tidings/contracts/messaging/senders';
import { expectError } from '../testing/expect-error';
import { startTestGateway, type TestGateway } from '../testing/start-test-gateway';

const ALLOWED = ['example.com', 'shop.example'];
let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startTestGateway();
  gateway.client.answer(senders.allowed, () => ({ allowed: ALLOWED }));
});
afterEach(() => gateway.stop());

const post = (path: string, body: object) =>
  gateway.request(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
const send = (settings: object) =>
  post('/send', { message: { to: { email: 'ada@example.org' }, content: { title: 'Hello', body: 'World' }, ...settings } });
const from = (sender: unknown) => ({ channels: { email: { override: { from: sender } } } });
const lookups = () => gateway.client.callsOf(senders.allowed).length;
const accepted = () => gateway.events.appended.length;
const sentence = (path: string, got: string) =>
  `${path} must be an address from which this workspace may send, of example.com, shop.example (got "${got}")`;

it.each([
  [from('Bank <a@bank.example>'), 'message.channels.email.override.from', 'Bank <a@bank.example>'],
  [{ providers: { smtp: { override: { from: ['a@bank.example'] } } } }, 'message.providers.smtp.override.from', 'a@bank.example'],
  [
    { providers: { default: { override: { config: { from_address: 'a@bank.example' } } } } },
    'message.providers.default.override.config.from_address',
    'a@bank.example',
  ],
  [
    { ...from('a@shop.example'), providers: { smtp: { override: { from: 'a@b.example' } } } },
    'message.providers.smtp.override.from',
    'a@b.example',
  ],
])('refuses a send whose e-mails would come from another domain: %j', async (settings, path, got) => {
  expect(await expectError(await send(settings), 403, 'authorization_error')).toBe(sentence(path, got));
  expect(accepted()).toBe(0);
});

it('names the field of older clients', async () => {
  const legacy = { event: 'welcome', recipient: 'ada', override: { channel: { email: { from: 'a@bank.example' } } } };
  expect(await expectError(await post('/send', legacy), 403, 'authorization_error')).toBe(
    sentence('override.channel.email.from', 'a@bank.example'),
  );
});

it.each([
  [{}, 0],
  [from(''), 0],
  [{ channels: { email: { override: { reply_to: 'a@bank.example' } } } }, 0],
  [{ providers: { sendgrid: { override: { from: 'a@bank.example' } } } }, 0],
  [from('Shop <a@SHOP.example>'), 1],
  [{ ...from('a@bank.example'), providers: { smtp: { override: { from: 'a@shop.example' } } } }, 1],
])('accepts other sends: %j, with %i calls', async (settings, calls) => {
  expect((await send(settings)).status).toBe(202);
  expect([accepted(), lookups()]).toEqual([1, calls]);
});

it.each([
  ['no address', '"no address"'],
  ['a@shop.example, b@shop.example', '"a@shop.example, b@shop.example"'],
  ['x@shop.example <s@bank.example>', '"x@shop.example <s@bank.example>"'],
  [['a@shop.example', 'b@shop.example'], '["a@shop.example","b@shop.example"]'],
  [7, '7'],
])('refuses a sender that is not one address: %j', async (sender, got) => {
  const rule = 'must be one e-mail address, as a@example.com or Name <a@example.com>';
  const path = 'message.channels.email.override.from';
  expect(await expectError(await send(from(sender)), 400)).toBe(`${path} ${rule} (got ${got})`);
  const legacy = { event: 'welcome', recipient: 'ada', override: { smtp: { from: sender } } };
  expect(await expectError(await post('/send', legacy), 400)).toBe(`override.smtp.from ${rule} (got ${got})`);
  expect([accepted(), lookups()]).toEqual([0, 0]);
});

it('refuses variables in a sender, which would not be filled in', async () => {
  expect(await expectError(await send(from('{{from}}')), 400)).toBe(
    'message.channels.email.override.from must be the address itself: variables are not filled in there (got "{{from}}")',
  );
});

it('asks once for the sends of a minute, and again before it refuses one', async () => {
  for (const sender of ['a@shop.example', 'b@example.com', 'c@shop.example']) expect((await send(from(sender))).status).toBe(202);
  expect(lookups()).toBe(1);

  gateway.client.answer(senders.allowed, () => ({ allowed: [...ALLOWED, 'new.example'] }));
  expect((await send(from('a@new.example'))).status).toBe(202);
  expect(lookups()).toBe(2);
});

it('accepts any sender where any is allowed, and while messaging cannot answer: it is checked again before it is sent', async () => {
  gateway.client.answer(senders.allowed, () => Promise.reject(unavailable('Messaging is down')));
  expect((await send(from('a@bank.example'))).status).toBe(202);

  gateway.client.answer(senders.allowed, () => ({ allowed: null }));
  expect((await send(from('a@bank.example'))).status).toBe(202);
  expect(accepted()).toBe(2);
});
