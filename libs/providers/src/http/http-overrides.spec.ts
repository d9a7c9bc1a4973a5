import { AddressGuard } from './guard/address-guard';
import type { Recipient } from '../recipient';
import { ADA, attempt, cleanUp, open, openConnected, SMS, startReceiver } from './receiver.fixture';

afterEach(cleanUp);

const WEBHOOK = { kind: 'webhook', webhook: { title: 'Shipped', body: 'On its way', blocks: [] } } as const;

describe('a send', () => {
  it('overrides the body, and the signature is that of the posted body', async () => {
    const receiver = await startReceiver();
    const body = { content: { text: 'Other', extra: { deep: [1] } }, data: null, sender: 'Shop' };

    await open(receiver.url).send(SMS, ADA, attempt({ data: { order: 'A-17' }, override: { body } }));

    const [{ body: posted, headers }] = receiver.received as [(typeof receiver.received)[0]];
    expect(JSON.parse(posted)).toEqual({
      ...{ message_id: expect.any(String) as string, attempt: 1, channel: 'sms', rendered_at: '2026-03-01T10:00:00.000Z' },
      recipient: { phone_number: ADA.phone_number },
      content: { text: 'Other', extra: { deep: [1] } },
      sender: 'Shop',
    });
    expect(headers['courier-signature']).toMatch(/^t=\d+,signature=[0-9a-f]{64}$/);
  });

  it('adds headers, but no reserved ones', async () => {
    const receiver = await startReceiver();
    const headers = {
      'X-Team': 'blue',
      Authorization: 'Bearer of-the-send',
      'Courier-Signature': 'forged',
      'x-courier-message-id': 'forged',
      'Idempotency-Key': 'forged',
      Host: 'forged.example',
      'Content-Length': '1',
      'transfer-encoding': 'chunked',
    };

    await open(receiver.url, { authorization: 'Bearer configured' }).send(SMS, ADA, attempt({ override: { headers } }));

    const { headers: sent, body } = receiver.received[0]!;
    expect(sent).toMatchObject({ 'x-team': 'blue', authorization: 'Bearer of-the-send', 'content-length': String(body.length) });
    expect(JSON.stringify(sent)).not.toContain('forged');
    expect(sent).not.toHaveProperty('transfer-encoding');
  });

  it.each([{ url: true }, { config: true }])('names another URL, which gets neither signature nor credentials: %j', async (form) => {
    const [configured, other] = [await startReceiver(), await startReceiver()];
    const override = 'url' in form ? { url: other.url, method: 'put' } : { config: { url: other.url }, method: 'PUT' };

    const outcome = await open(configured.url, { authorization: 'Bearer configured' }).send(SMS, ADA, attempt({ override }));

    expect(outcome).toMatchObject({ kind: 'accepted' });
    expect(configured.received).toEqual([]);
    const [request] = other.received;
    expect(request).toMatchObject({ method: 'PUT', headers: { 'idempotency-key': attempt().idempotencyKey } });
    expect(request!.headers).not.toHaveProperty('courier-signature');
    expect(request!.headers).not.toHaveProperty('authorization');
  });

  it('reaches no private address by it, and its outcome is no configuration failure', async () => {
    const configured = await startReceiver();
    const provider = open(configured.url);
    const outcomes = await Promise.all(
      ['http://10.0.0.1/', 'http://169.254.169.254/latest', 'http://[::1]/', 'http://127.0.0.1:1/'].map((url) =>
        provider.send(SMS, ADA, attempt({ override: { url } })),
      ),
    );

    for (const outcome of outcomes.slice(0, 3)) expect(outcome).toMatchObject({ kind: 'failed', cause: 'permanent' });
    expect(outcomes[3]).toEqual({ kind: 'retry', error: 'The receiver could not be reached (ECONNREFUSED)' });
  });

  it.each([
    [{ url: 'ftp://x/' }, 'override.url must be'],
    [{ url: 'https://u:hunter2@x/' }, 'override.url must be'],
    [{ method: 'GET' }, 'override.method must be one of POST, PUT, PATCH'],
    [{ body: 'text' }, 'override.body must be an object'],
    [{ headers: { 'x-y': 'a\r\nx-z: hunter2' } }, 'override.headers must hold'],
    [{ headers: { 'x y': 'a' } }, 'override.headers must hold'],
    [{ headers: ['a'] }, 'override.headers must be an object'],
    [{ config: { secret: 'hunter2hunter2hunter2' } }, 'override.config.secret cannot be changed by a send'],
    [{ config: { authorization: 5 } }, 'override.config.authorization must be a text'],
    [{ config: { url: 'gopher://x' } }, 'override.config.url must be'],
    [{ config: { authorization: 'a\r\nb: hunter2' } }, 'override.config.authorization must be'],
  ])('cannot change %j', async (override, error) => {
    const receiver = await startReceiver();

    const outcome = await open(receiver.url).send(SMS, ADA, attempt({ override }));

    expect(outcome).toMatchObject({ kind: 'failed', cause: 'permanent', error: expect.stringContaining(error) as string });
    expect(JSON.stringify(outcome)).not.toContain('hunter2');
    expect(receiver.received).toEqual([]);
  });
});

describe('a webhook', () => {
  const profile = { plan: 'gold' };

  it('goes to the configured address, signed, and is delivered with its acceptance', async () => {
    const receiver = await startReceiver();

    const outcome = await open(receiver.url).send(WEBHOOK, { channel: 'webhook', user_id: 'ada', profile }, attempt());

    expect(outcome).toMatchObject({ kind: 'accepted', delivered: true });
    const { headers, body } = receiver.received[0]!;
    expect(JSON.parse(body)).toMatchObject({ recipient: { user_id: 'ada', profile } });
    expect(headers).toHaveProperty('courier-signature');
  });

  it.each([
    [{ mode: 'basic', username: 'ada', password: 'pass:word' }, `Basic ${Buffer.from('ada:pass:word').toString('base64')}`],
    [{ mode: 'bearer', token: 'of-ada' }, 'Bearer of-ada'],
    [{ mode: 'none' }, undefined],
    [undefined, undefined],
  ] as const)('of the recipient goes to its URL with its credentials: %j', async (authentication, authorization) => {
    const [configured, own] = [await startReceiver(), await startReceiver()];
    own.answer(410, 'closed');
    const webhook = {
      url: `${own.url}#part`,
      method: 'PUT' as const,
      headers: { 'X-Own': '1' },
      ...(authentication && { authentication }),
    };
    const recipient: Recipient = { channel: 'webhook', user_id: 'ada', profile, webhook };

    const outcome = await open(configured.url, { authorization: 'Bearer configured' }).send(WEBHOOK, recipient, attempt());

    expect(outcome).toMatchObject({ kind: 'failed', cause: 'permanent', response: { status: 410, body: 'closed' } });
    expect(configured.received).toEqual([]);
    const [request] = own.received;
    expect(request).toMatchObject({ method: 'PUT', url: '/hook', headers: { 'x-own': '1' } });
    expect(request!.headers.authorization).toBe(authorization);
    expect(request!.headers).not.toHaveProperty('courier-signature');
    expect(request!.body).not.toMatch(/of-ada|pass:word|X-Own/);
  });

  it('of the recipient with a token that is invalid in a header is not called', async () => {
    const own = await startReceiver();
    const webhook = { url: own.url, authentication: { mode: 'bearer', token: 'a\r\nx: y' } } as const;

    const outcome = await open(own.url).send(WEBHOOK, { channel: 'webhook', webhook }, attempt());

    expect(outcome).toMatchObject({ kind: 'failed', cause: 'permanent', error: expect.stringContaining('authentication.token') as string });
    expect(own.received).toEqual([]);
  });

  it('of the recipient that fails, or requires a login, is no outage of the provider', async () => {
    const [configured, own] = [await startReceiver(), await startReceiver()];
    const provider = open(configured.url);
    const recipient: Recipient = { channel: 'webhook', webhook: { url: own.url } };
    const outcomes = [];
    for (const status of [503, 401, 302]) {
      own.answer(status);
      outcomes.push(await provider.send(WEBHOOK, recipient, attempt()));
    }

    expect(outcomes).toMatchObject([{ kind: 'retry' }, { kind: 'failed', cause: 'permanent' }, { kind: 'failed', cause: 'permanent' }]);
    expect(outcomes[0]).not.toHaveProperty('outage');
    expect(own.connectionCount).toBe(3); // none is reused
  });

  it('of the recipient is subject to the guard', async () => {
    const receiver = await startReceiver();
    const provider = open('https://hooks.example.com/', {}, { guard: new AddressGuard() });

    const outcome = await provider.send(WEBHOOK, { channel: 'webhook', webhook: { url: receiver.url } }, attempt());

    expect(outcome).toMatchObject({ kind: 'failed', cause: 'permanent', error: expect.stringContaining('public address') as string });
    expect(receiver.received).toEqual([]);
  });
});

describe('an outage is', () => {
  it.each([429, 500, 503])('an answer %i', async (status) => {
    const receiver = await startReceiver();
    receiver.answer(status);

    expect(await open(receiver.url).send(SMS, ADA, attempt())).toMatchObject({ kind: 'retry', outage: true });
  });

  it.each<[number, object | string]>([
    [408, ''],
    [503, { cause: 'retry' }],
    [400, { cause: 'retry' }],
  ])('not an answer %i %j', async (status, body) => {
    const receiver = await startReceiver();
    receiver.answer(status, body);

    expect(await open(receiver.url).send(SMS, ADA, attempt())).not.toHaveProperty('outage');
  });

  it('a failed connection, not a connection without an answer', async () => {
    const receiver = await startReceiver();
    receiver.answering = () => undefined;
    const { port } = receiver;

    const connected = await openConnected(receiver, { timeoutMs: 100 });

    const silent = await connected.send(SMS, ADA, attempt());
    // A receiver of plain HTTP never completes a TLS handshake.
    const refused = await open(`https://127.0.0.1:${port}/`, {}, { timeoutMs: 1_000 }).send(SMS, ADA, attempt());

    expect(silent).toEqual({ kind: 'retry', error: 'The receiver did not answer within 100 ms', hung: true });
    expect(refused).toMatchObject({ kind: 'retry', outage: true });
  });
});
