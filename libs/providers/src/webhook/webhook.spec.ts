import { createHmac } from 'node:crypto';
import { attempt, cleanUp, cleanUps, LOOPBACK, startReceiver } from '../http/receiver.fixture';
import { webhookKind } from './webhook';

afterEach(cleanUp);

const SECRET = 'a secret of some length';
const UNLIMITED = new AbortController().signal;
const rendered = { kind: 'webhook', webhook: { title: 'Shipped', body: 'On its way', blocks: [] } } as const;
const ada = { channel: 'webhook', user_id: 'ada' } as const;
const to = (url: string) => ({ ...ada, webhook: { url, method: 'PUT', headers: { 'X-Team': 'orders' } } }) as const;

function open(settings: object) {
  const provider = webhookKind.open(webhookKind.parseSettings(settings), { guard: LOOPBACK });
  cleanUps.push(() => provider.close());
  return provider;
}

function isSigned({ headers, body }: { headers: object; body: string }) {
  const header = (headers as Record<string, string | undefined>)['courier-signature'];
  const [, ms] = /^t=(\d+),/.exec(header ?? '') ?? [];
  return header === `t=${ms},signature=${createHmac('sha256', SECRET).update(`${ms}.${body}`).digest('hex')}`;
}

it('puts a signed message to the URL of the operator, and is delivered with the answer', async () => {
  const receiver = await startReceiver();

  const outcome = await open({ url: receiver.url, secret: SECRET, method: 'PUT', authorization: 'Bearer x' }).send(
    rendered,
    ada,
    attempt(),
  );

  expect(outcome).toMatchObject({ kind: 'accepted', delivered: true });
  const [request] = receiver.received;
  expect(request).toMatchObject({ method: 'PUT', headers: { authorization: 'Bearer x', 'x-courier-message-id': attempt().messageId } });
  expect(isSigned(request!)).toBe(true);
});

it('is not signed without a secret', async () => {
  const receiver = await startReceiver();

  await open({ url: receiver.url }).send(rendered, ada, attempt());

  expect(receiver.received).toMatchObject([{ method: 'POST' }]);
  expect(receiver.received[0]!.headers).not.toHaveProperty('courier-signature');
});

describe('the webhook of a recipient', () => {
  it('is signed where there is no other receiver', async () => {
    const receiver = await startReceiver();

    await open({ secret: SECRET }).send(rendered, to(receiver.url), attempt());

    expect(receiver.received).toMatchObject([{ method: 'PUT', headers: { 'x-team': 'orders' } }]);
    expect(isSigned(receiver.received[0]!)).toBe(true);
  });

  it('gets neither signature nor credentials beside one of the operator: it could repeat the request there', async () => {
    const receiver = await startReceiver();

    await open({ url: 'https://hooks.example/', secret: SECRET, authorization: 'Bearer x' }).send(rendered, to(receiver.url), attempt());

    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]!.headers).not.toHaveProperty('courier-signature');
    expect(receiver.received[0]!.headers).not.toHaveProperty('authorization');
  });

  it('gets no signature that is for it at an address of the send', async () => {
    const receiver = await startReceiver();

    await open({ secret: SECRET }).send(rendered, to('https://ada.example/'), attempt({ override: { url: receiver.url } }));

    expect(receiver.received[0]!.headers).not.toHaveProperty('courier-signature');
  });

  it('is needed without one of the operator', async () => {
    const provider = open({});

    expect(await provider.send(rendered, ada, attempt())).toMatchObject({ kind: 'failed', cause: 'permanent' });
    expect(await provider.test(UNLIMITED)).toMatchObject({ ok: false });
  });
});

it.each([
  [410, { kind: 'failed', cause: 'permanent' }],
  [401, { kind: 'failed', cause: 'configuration' }],
  [307, { kind: 'failed', cause: 'configuration' }],
  [429, { kind: 'retry' }],
  [500, { kind: 'retry', outage: true }],
])('an answer %i', async (status, outcome) => {
  const receiver = await startReceiver();
  receiver.answer(status);

  expect(await open({ url: receiver.url }).send(rendered, ada, attempt())).toMatchObject(outcome);
});

it('tests the URL of the operator', async () => {
  const receiver = await startReceiver();

  expect(await open({ url: receiver.url, secret: SECRET }).test(UNLIMITED)).toEqual({ ok: true });
  expect(receiver.received).toMatchObject([{ method: 'HEAD' }]);
});

it.each([
  [{ url: 'ftp://x/' }, 'settings.url must be a URL that begins with'],
  [{ secret: 'short' }, 'settings.secret must be a text of 16 to 256 characters'],
  [{ method: 'GET' }, 'settings.method must be one of POST, PUT'],
  [{ authorization: 'Bearer x' }, 'settings.authorization is for settings.url, which is not set'],
])('refuses the settings %j', (settings, sentence) => {
  expect(() => webhookKind.parseSettings(settings)).toThrow(sentence);
});

it('connects to no fixed host where recipients name theirs', () => {
  expect(webhookKind.hostOf(webhookKind.parseSettings({}))).toBeUndefined();
  expect(webhookKind.hostOf(webhookKind.parseSettings({ url: 'https://a.example/#x' }))).toEqual({ setting: 'url', host: 'a.example' });
});
