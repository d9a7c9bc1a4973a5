import { attempt, cleanUp, cleanUps, LOOPBACK } from '../http/receiver.fixture';
import { VENDOR_KINDS } from '../kinds';
import { failed, refused, retry } from '../provider';
import type { Recipient } from '../recipient';
import type { Rendered } from '../rendered';
import { accepted } from './classify';
import { MATRICES } from './matrices.fixture';
import { type Script, VendorPeer } from './peer.fixture';
import { defineVendor, type Signer } from './vendor';

afterEach(cleanUp);

it('every vendor has a matrix', () => {
  expect(MATRICES.map(({ kind }) => kind.key)).toEqual(VENDOR_KINDS.map(({ key }) => key));
});

const OPERATIONS = {
  send: { method: 'POST', path: '/send/{token}', request: { type: 'object', required: ['text'] } },
  ping: { method: 'GET', path: '/ping' },
} as const;

let signer: Signer;
const pushKind = defineVendor({
  key: 'sample',
  channel: 'push',
  title: 'Sample',
  description: 'A vendor with a call for each token',
  setup: '',
  example: {},
  fields: { api_key: { type: 'string', required: true, secret: true } },
  about: { api_key: '' },
  overridable: ['api_key'],
  baseUrl: 'https://sample.example',
  operations: OPERATIONS,
  limits: { requestBytes: 100 },
  tokensPerCall: 1,
  signer: () => signer,
  request: ({ rendered, recipient }, { api_key }) => ({
    operation: OPERATIONS.send,
    parameters: { token: recipient.tokens[0]!.token },
    headers: { 'x-key': api_key },
    body: { text: rendered.push.title, ...rendered.push.data },
  }),
  read({ status, error }, { recipient }) {
    const { token } = recipient.tokens[0]!;
    if (status === 410) return refused(error, [{ token, outcome: 'revoked' }]);
    return status === 200 ? accepted(token, false) : undefined;
  },
  test: { request: () => ({ operation: OPERATIONS.ping }) },
});

const PUSH = { kind: 'push', push: { title: 'Shipped', body: '', data: {} } } as const;
const phones = (...tokens: string[]): Recipient => ({
  channel: 'push',
  tokens: [{ token: 'of another vendor', provider_key: 'apn' }, ...tokens.map((token) => ({ token, provider_key: 'sample' }))],
});

async function open(script: Script) {
  signer = { headersOf: () => Promise.resolve({ 'x-signature': 's' }) };
  const peer = await VendorPeer.start(OPERATIONS);
  peer.scripts.set('send', script);
  const provider = pushKind.open(pushKind.parseSettings({ api_key: 'the key of the shop', base_url: `${peer.url}/` }), { guard: LOOPBACK });
  cleanUps.push(() => provider.close());
  return { peer, send: (recipient: Recipient, more = {}, rendered: Rendered = PUSH) => provider.send(rendered, recipient, attempt(more)) };
}

/** Answers by the token in the path. */
const byToken =
  (statuses: Readonly<Record<string, number>>): Script =>
  (answer, { url }) =>
    void answer.writeHead(statuses[url.slice('/send/'.length)] ?? 200).end();

describe('a message to several devices', () => {
  it('makes a call for each token of the vendor, and joins what was refused', async () => {
    const { peer, send } = await open(byToken({ two: 410, three: 503 }));

    expect(await send(phones('one', 'two', 'three'))).toMatchObject({
      kind: 'accepted',
      reference: { id: 'one' },
      refusedTokens: [{ token: 'two', outcome: 'revoked' }],
    });
    expect(peer.server.received.map(({ url }) => url).sort()).toEqual(['/send/one', '/send/three', '/send/two']);
  });

  it.each([
    [
      { one: 410, two: 410 },
      { kind: 'failed', cause: 'token', refusedTokens: [{ token: 'one' }, { token: 'two' }] },
    ],
    [
      { one: 410, two: 503 },
      { kind: 'retry', outage: true },
    ],
    [
      { one: 410, two: 400 },
      { kind: 'failed', cause: 'permanent' },
    ],
    [
      { one: 503, two: 401 },
      { kind: 'failed', cause: 'configuration' },
    ],
  ])('with none accepted of %j', async (statuses, outcome) => {
    const { send } = await open(byToken(statuses));

    expect(await send(phones('one', 'two'))).toMatchObject(outcome);
  });

  it('makes no further calls where every one would fail', async () => {
    const { peer, send } = await open({ status: 401 });
    const tokens = Array.from({ length: 50 }, (_, i) => `t${i}`);

    expect(await send(phones(...tokens))).toMatchObject({ kind: 'failed', cause: 'configuration' });
    expect(peer.server.received.length).toBeLessThan(20);
  });

  it.each(['.', '..', ''])('makes no call with the token %j, which would have another path, and reaches the others', async (token) => {
    const { peer, send } = await open({ status: 200 });

    expect(await send(phones(token))).toMatchObject({ kind: 'failed', cause: 'permanent', error: `${JSON.stringify(token)} is no token` });
    expect(await send(phones(token, 'two'))).toMatchObject({ kind: 'accepted', reference: { id: 'two' } });
    expect(peer.server.received.map(({ url }) => url)).toEqual(['/send/two']);
  });

  it('has the properties of each token as data of the message to it, under those of the message', async () => {
    const { peer, send } = await open({ status: 200 });
    const [first, ...others] = (phones('one', 'two', 'three') as Extract<Recipient, { channel: 'push' }>).tokens;
    const [one, two, three] = others.map((token, i) => ({ ...token, properties: [{ build: 42, order: 6 }, 'no object'][i] }));
    const rendered = { kind: 'push', push: { ...PUSH.push, data: { order: 7 } } } as const;

    await send({ channel: 'push', tokens: [first!, one!, two!, three!] }, {}, rendered);

    const bodies = Object.fromEntries(peer.server.received.map(({ url, body }) => [url, JSON.parse(body) as unknown]));
    expect(bodies).toEqual({
      '/send/one': { text: 'Shipped', order: 7, build: 42 },
      '/send/two': { text: 'Shipped', order: 7 },
      '/send/three': { text: 'Shipped', order: 7 },
    });
  });

  it('reaches no recipient without a token of the vendor', async () => {
    const { peer, send } = await open({ status: 200 });

    expect(pushKind.recipientOf!(phones())).toBeUndefined();
    expect(pushKind.recipientOf!(phones('one'))).toEqual({ channel: 'push', tokens: [{ token: 'one', provider_key: 'sample' }] });
    expect(await send(phones())).toMatchObject({ kind: 'failed', cause: 'permanent' });
    expect(peer.server.received).toEqual([]);
  });
});

describe('what a send changes', () => {
  it('is merged into the body, the headers and the settings', async () => {
    const { peer, send } = await open({ status: 200 });
    const override = { body: { sound: 'ping', text: null }, headers: { 'X-Team': 'a', Host: 'b' }, config: { api_key: 'another' } };

    await send(phones('one'), { override });

    const { headers, body } = peer.first('send');
    expect(headers).toMatchObject({ 'x-team': 'a', 'x-key': 'another', 'x-signature': 's', host: new URL(peer.url).host });
    expect(JSON.parse(body)).toEqual({ sound: 'ping' });
  });

  it.each([{ config: { api_key: 'another' } }, { body: { sound: 'ping' } }, { headers: { 'x-key': 'another' } }])(
    'may be what is refused: %j is no evidence about the configuration',
    async (override) => {
      const { send, peer } = await open({ status: 401 });

      expect(await send(phones('one'), { override })).toMatchObject({ kind: 'failed', cause: 'permanent' });
      peer.scripts.set('send', { status: 503 });
      expect(await send(phones('one'), { override })).toMatchObject({ kind: 'retry', outage: true });
    },
  );

  it('fails by its name where it cannot be changed', async () => {
    const { peer, send } = await open({ status: 200 });

    expect(await send(phones('one'), { override: { config: { base_url: 'https://evil.example' } } })).toMatchObject({
      kind: 'failed',
      cause: 'permanent',
      error: 'override.config.base_url cannot be changed by a send; with this provider only api_key can',
    });
    expect(peer.server.received).toEqual([]);
  });

  it('counts in the limit of a request', async () => {
    const { peer, send } = await open({ status: 200 });

    expect(await send(phones('one'), { override: { body: { text: 'x'.repeat(100) } } })).toMatchObject({
      kind: 'failed',
      cause: 'permanent',
      error: 'The message has 111 bytes for Sample, which accepts 100',
    });
    expect(peer.server.received).toEqual([]);
  });
});

describe('headers of a signer', () => {
  it('are made again once, where its token has expired', async () => {
    const { peer, send } = await open((answer, { headers }) => void answer.writeHead(headers['x-signature'] === 'new' ? 200 : 403).end());
    const signatures = ['old', 'new'];
    signer = { headersOf: () => Promise.resolve({ 'x-signature': signatures.shift()! }), isExpired: ({ status }) => status === 403 };

    // The provider was opened with the earlier signer.
    const provider = pushKind.open(pushKind.parseSettings({ api_key: 'the key of the shop', base_url: peer.url }), { guard: LOOPBACK });
    cleanUps.push(() => provider.close());

    expect(await provider.send(PUSH, phones('one'), attempt())).toMatchObject({ kind: 'accepted' });
    expect(peer.received('send')).toHaveLength(2);
    expect(await send(phones('one'))).toMatchObject({ kind: 'failed', cause: 'configuration' });
  });

  it.each([retry('no token now', { outage: true }), failed('no such account', 'configuration')])(
    'that cannot be made end the call: %j',
    async (outcome) => {
      const { peer } = await open({ status: 200 });
      signer = { headersOf: () => Promise.resolve(outcome) };
      const provider = pushKind.open(pushKind.parseSettings({ api_key: 'the key of the shop', base_url: peer.url }), { guard: LOOPBACK });
      cleanUps.push(() => provider.close());

      expect(await provider.send(PUSH, phones('one'), attempt())).toEqual(outcome);
      expect(peer.server.received).toEqual([]);
    },
  );
});

it('connects to no private address', async () => {
  const settings = pushKind.parseSettings({ api_key: 'the key of the shop', base_url: 'http://10.0.0.1/' });
  signer = { headersOf: () => Promise.resolve({}) };
  const provider = pushKind.open(settings, { guard: LOOPBACK });
  cleanUps.push(() => provider.close());

  expect(pushKind.hostOf(settings)).toEqual({ setting: 'base_url', host: '10.0.0.1' });
  expect(await provider.send(PUSH, phones('one'), attempt())).toMatchObject({ kind: 'failed', cause: 'configuration' });
});
