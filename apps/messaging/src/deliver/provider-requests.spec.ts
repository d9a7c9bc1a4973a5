import '@tidings/testing/quiet';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { messages } from '@tidings/contracts/messaging/messages';
import { type Provider, providers } from '@tidings/contracts/messaging/providers';
import type { CapturedMail } from '@tidings/testing/captured-mail';
import { metrics } from '@tidings/runtime/metrics';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import { waitUntil } from '@tidings/testing/wait-until';
import { Messaging } from '../testing/start-messaging';

const SECRET = 'a secret of some length';
const PROFILE = { email: 'ada@example.com', phone_number: '+49151', apn: 'a1' };
const FILE = { filename: 'Grüße.txt', contentType: 'text/plain', data: Buffer.from('hello').toString('base64') };

describe('the request to a provider', () => {
  let messaging: Messaging;
  let receiver: CapturingHttp;

  beforeAll(async () => {
    messaging = await Messaging.create();
    await messaging.start();
    receiver = await CapturingHttp.start();
    for (const channel of ['sms', 'push', 'webhook']) await configure(channel);
  });

  beforeEach(() => {
    receiver.received.length = 0;
    receiver.answer(200, { id: 'accepted' });
    messaging.smtp.reset();
    messaging.profiles.recipients.clear();
    messaging.profiles.reports.length = 0;
  });

  afterAll(async () => {
    await messaging.end();
    await receiver.stop();
  });

  /** Creates a provider; resolves when messages are sent through it. */
  const configure = async (channel: string, alias?: string): Promise<Provider> => {
    const made = await create(channel, alias);
    await waitUntil(
      async () => {
        const id = await send({ mode: 'test', profile: PROFILE, routing: only(alias ?? channel) });
        await waitUntil(async () => (await messaging.statusOf(id)) !== 'ENQUEUED');
        const { results } = await messaging.call(messages.history, { message_id: id, type: 'SIMULATED' });
        return results.some(({ integration }) => (integration as { provider: string }).provider === 'http');
      },
      { what: `a provider of ${channel}` },
    );
    return made;
  };
  const create = (channel: string, alias?: string): Promise<Provider> =>
    messaging.call(providers.create, {
      provider: 'http',
      settings: { channel, url: receiver.url, secret: SECRET },
      ...(alias && { alias }),
    });
  const send = async (request: Partial<MessageRequested>): Promise<string> => (await messaging.send(request))[0]!;
  const record = (id: string) => messaging.call(messages.retrieve, { message_id: id });
  const only = (channel: string) => ({ method: 'single' as const, channels: [channel] });
  const posted = (): Record<string, unknown> => JSON.parse(receiver.received.at(-1)!.body) as Record<string, unknown>;
  const mailTo = async (email: string): Promise<CapturedMail> => (await messaging.smtp.waitForMailsTo(email))[0]!;

  describe('for an e-mail', () => {
    const template = () =>
      messaging.content.publish(
        'receipt',
        { version: '2022-01-01', elements: [{ type: 'text', content: 'Thank you' }] },
        {
          email: {
            from: 'Shop <shop@example.com>',
            reply_to: 'help@example.com',
            cc: ['"Doe, John" <john@example.com>'],
            bcc: ['log@example.com'],
          },
        },
      );

    it('has sender, copies and attachments of the template, overridden by the send', async () => {
      template();
      const channels = { email: { override: { reply_to: 'sales@example.com', attachments: [FILE] } } };
      const smtp = { override: { from: 'Ada’s Shop <ada@example.com>', cc: 'Eve <eve@example.com>, max@example.com' } };
      await messaging.waitForStatus(await send({ template: 'receipt', content: undefined }), 'DELIVERED');
      const plain = await mailTo('ada@example.com');
      messaging.smtp.reset();

      await messaging.waitForStatus(await send({ template: 'receipt', content: undefined, channels, providers: { smtp } }), 'DELIVERED');
      const changed = await mailTo('ada@example.com');

      expect(plain.envelope.to).toEqual(['ada@example.com', 'john@example.com', 'log@example.com']);
      expect(await plain.parse()).toMatchObject({
        from: { address: 'shop@example.com', name: 'Shop' },
        replyTo: [{ address: 'help@example.com' }],
        cc: [{ address: 'john@example.com', name: 'Doe, John' }],
        attachments: [],
      });
      expect(changed.envelope.to).toEqual(['ada@example.com', 'eve@example.com', 'max@example.com', 'log@example.com']);
      expect(await changed.parse()).toMatchObject({
        from: { address: 'ada@example.com', name: 'Ada’s Shop' },
        replyTo: [{ address: 'sales@example.com' }],
        cc: [{ address: 'eve@example.com', name: 'Eve' }, { address: 'max@example.com' }],
        attachments: [{ filename: 'Grüße.txt', mimeType: 'text/plain' }],
      });
      expect(changed.raw.toString()).not.toContain('log@example.com');
    });

    it.each([
      [{ cc: 'a@b.c d@e.f' }, 'cc must hold e-mail addresses'],
      [{ bcc: ['a@b.c\r\nBcc: d@e.f'] }, 'bcc must hold e-mail addresses'],
      [{ reply_to: 7 }, 'reply_to must hold e-mail addresses'],
      [{ from: 'a@b.c, d@e.f' }, 'from must be one e-mail address'],
    ])('is not made where %j is no address', async (override, error) => {
      const id = await send({ profile: { email: 'lost@example.com' }, routing: only('email'), channels: { email: { override } } });

      await messaging.waitForStatus(id, 'UNDELIVERABLE');

      expect(await record(id)).toMatchObject({ reason: 'FAILED', error: expect.stringContaining(error) as string });
      expect(messaging.smtp.arrivals).toHaveLength(0);
    });
  });

  it('is changed by the override of its kind; the history shows only the names of settings and headers', async () => {
    const http = {
      override: { body: { sender: 'Shop', data: null }, headers: { 'x-key': 'hunter2' }, config: { authorization: 'hunter2' } },
    };
    const id = await send({ profile: { phone_number: '+49151' }, routing: only('sms'), providers: { http } });

    await messaging.waitForStatus(id, 'SENT');

    expect(posted()).toMatchObject({ sender: 'Shop', recipient: { phone_number: '+49151' } });
    expect(posted()).not.toHaveProperty('data');
    expect(receiver.received[0]!.headers).toMatchObject({ 'x-key': 'hunter2', authorization: 'hunter2' });
    const { results } = await messaging.call(messages.history, { message_id: id });
    expect(results[0]).toMatchObject({ override: { http: { config: { authorization: '***' }, headers: { 'x-key': '***' } } } });
    expect(JSON.stringify([results, await record(id)])).not.toContain('hunter2');
  });

  it('fails where an override changes a forbidden field, with the name of the field', async () => {
    const smtp = { override: { config: { host: 'evil.example', pass: 'hunter2' } } };
    const id = await send({ routing: only('email'), providers: { smtp } });

    await messaging.waitForStatus(id, 'UNDELIVERABLE');

    expect(await record(id)).toMatchObject({ error: expect.stringContaining('override.config.host') as string });
    expect(messaging.smtp.arrivals).toHaveLength(0);
  });

  it('for a webhook goes to the URL of its recipient', async () => {
    const own = await CapturingHttp.start();
    try {
      const webhook = { url: own.url, method: 'PUT', authentication: { mode: 'basic', username: 'ada', password: 'x' } };
      const to = await send({ profile: { webhook, plan: 'gold' }, routing: only('webhook') });
      const configured = await send({ profile: { plan: 'gold' }, routing: only('webhook') });
      const broken = await send({ profile: { webhook: { url: 'ftp://x' } }, routing: only('webhook') });

      await messaging.waitForStatus(to, 'DELIVERED');
      await messaging.waitForStatus(configured, 'DELIVERED');
      await messaging.waitForStatus(broken, 'UNROUTABLE');

      expect(own.received).toMatchObject([
        { method: 'PUT', headers: { authorization: `Basic ${Buffer.from('ada:x').toString('base64')}` } },
      ]);
      expect(own.received[0]!.headers).not.toHaveProperty('courier-signature');
      expect(receiver.received).toMatchObject([{ method: 'POST', headers: { 'courier-signature': expect.any(String) as string } }]);
      expect(posted()).toMatchObject({ recipient: { profile: { plan: 'gold' } } });
      expect(await record(broken)).toMatchObject({ error: expect.stringContaining('profile.webhook is not a webhook') as string });
    } finally {
      await own.stop();
    }
  });

  it('for a webhook needs a routing that names it, or a webhook of the recipient', async () => {
    const byDefault = await send({ profile: {}, routing: undefined });
    const own = await send({ profile: { webhook: { url: receiver.url } }, routing: undefined });

    await messaging.waitForStatus(byDefault, 'UNROUTABLE');
    await messaging.waitForStatus(own, 'DELIVERED');

    expect(await record(byDefault)).toMatchObject({
      reason: 'NO_PROVIDERS',
      error: expect.stringContaining('webhook needs profile.webhook, or a routing that names it') as string,
    });
    expect(receiver.received).toHaveLength(1);
  });

  it('for a webhook needs content, an override of the body, or raw', async () => {
    const raw = { type: 'channel' as const, channel: 'webhook', raw: { payload: { body: { raw: true } } } };
    const blank = { content: { elements: [{ type: 'text' as const, content: '{{missing}}' }] }, routing: only('webhook') };
    const none = await send(blank);
    const overridden = await send({ ...blank, channels: { webhook: { override: { body: { overridden: true } } } } });
    const filled = await send({ ...blank, content: { elements: [raw] } });

    await messaging.waitForStatus(none, 'UNROUTABLE');
    await messaging.waitForStatus(overridden, 'DELIVERED');
    await messaging.waitForStatus(filled, 'DELIVERED');

    expect(await record(none)).toMatchObject({ reason: 'NO_CHANNELS' });
    const bodies = receiver.received.map(({ body }) => JSON.parse(body) as object);
    expect(bodies).toHaveLength(2);
    expect(bodies).toContainEqual(expect.objectContaining({ overridden: true }));
    expect(bodies).toContainEqual(expect.objectContaining({ raw: true }));
  });

  describe('with push tokens', () => {
    const stored = (token: string, status: 'active' | 'unknown' | 'failed') => ({
      token,
      provider_key: 'apn' as const,
      status,
      device: null,
      properties: null,
    });

    it('reports refused tokens to identity and lists them, and reports accepted ones that were not active', async () => {
      const tokens = [stored('well', 'active'), stored('new', 'unknown'), stored('revoked', 'active'), stored('odd', 'failed')];
      messaging.profiles.recipients.set('ada', { tokens });
      const refused_tokens = ['revoked', { token: 'odd', outcome: 'suspicious', code: 'Bad\u0000Token' }];
      receiver.answer(200, { id: 'p-1', refused_tokens });
      const id = await send({ userId: 'ada', profile: { expo: 'inline' }, routing: only('push') });

      await messaging.waitForStatus(id, 'SENT');
      await waitUntil(() => messaging.profiles.reports.length === 3, { what: 'the reports' });

      expect(posted()).toMatchObject({ recipient: { tokens: [...tokens.map(({ token }) => ({ token })), { token: 'inline' }] } });
      expect(receiver.received[0]!.body).not.toContain('status');
      const report = { workspace_id: messaging.workspaceId, at: expect.any(Number) as number };
      const byToken = messaging.profiles.reports.toSorted((one, other) => one.token.localeCompare(other.token));
      expect(byToken).toEqual([
        { ...report, token: 'new', outcome: 'accepted' },
        { ...report, token: 'odd', outcome: 'suspicious', code: 'Bad\uFFFDToken' },
        { ...report, token: 'revoked', outcome: 'revoked' },
      ]);
      expect((await record(id)).providers![0]!.providerResponse).toMatchObject({
        status: 200,
        refused_tokens: [
          { token: 'revoked', outcome: 'revoked' },
          { token: 'odd', outcome: 'suspicious' },
        ],
      });
      await waitUntil(async () => (await messaging.rows('select 1 from messaging.token_reports')).length === 0, {
        what: 'the stored reports to be deleted',
      });
    });

    it('keeps the reports over a restart while identity is unavailable', async () => {
      receiver.answer(410, { cause: 'token' });
      messaging.profiles.isUnavailable = true;
      const id = await send({ profile: { apn: 'dead' }, routing: only('push') });
      await messaging.waitForStatus(id, 'UNDELIVERABLE').finally(() => messaging.stop());
      expect(messaging.profiles.reports).toEqual([]);
      messaging.profiles.isUnavailable = false;

      await messaging.rows('update messaging.token_reports set due_at = clock_timestamp()');
      await messaging.start();

      await waitUntil(() => messaging.profiles.reports.length > 0, { what: 'the report' });
      expect(messaging.profiles.reports).toMatchObject([{ token: 'dead', outcome: 'revoked' }]);
      expect(await record(id)).toMatchObject({ providers: [{ providerResponse: { status: 410, refused_tokens: [{ token: 'dead' }] } }] });
    });
  });

  it('is retried until accepted: a configuration with a waiting message cannot be removed', async () => {
    const { id } = await configure('sms', 'second-sms');
    receiver.answer(503);
    const message = await send({ profile: { phone_number: '+49151' }, routing: only('second-sms') });
    await waitUntil(() => receiver.received.length > 0, { what: 'the first call' });

    await expect(messaging.call(providers.remove, { id: id })).rejects.toMatchObject({ code: 'conflict' });
    receiver.answer(200);
    await messaging.waitForStatus(message, 'SENT');

    await messaging.call(providers.remove, { id: id });
  });

  it('is made for other recipients while more than ten are greylisted', async () => {
    const breakersOpened = async (): Promise<string[]> =>
      (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith('tidings_provider_breaker_openings_total{'));
    const before = await breakersOpened();
    const greylisted = Array.from({ length: 15 }, (_, n) => `grey${n}@example.com`);
    for (const email of greylisted) messaging.smtp.treat(email, { deferFirst: Infinity });
    await messaging.send(...greylisted.map((email) => ({ recipient: email, profile: { email } })));
    // A second attempt per recipient means that the first was deferred.
    await waitUntil(() => messaging.smtp.arrivals.length >= 2 * greylisted.length, { what: 'all of them to be deferred' });

    await messaging.waitForStatus(await send({ profile: { email: 'fine@example.com' } }), 'DELIVERED');

    expect(await breakersOpened()).toEqual(before);
    for (const email of greylisted) messaging.smtp.treat(email, {});
  });

  // The last test: from here on e-mail is sent through the receiver.
  it('is the same in a retry after a restart, also with settings by alias', async () => {
    await configure('email', 'newsletter');
    receiver.answer(503);
    const settings = { override: { attachments: [FILE], cc: 'eve@example.com', body: { tag: 'A' }, headers: { 'x-team': 'blue' } } };
    const id = await send({ providers: { newsletter: settings } });
    await waitUntil(() => receiver.received.length > 0, { what: 'the first call' });
    await messaging.stop();
    receiver.answer(200, { delivered: true });
    const before = receiver.received.length;

    await messaging.start();
    await messaging.waitForStatus(id, 'DELIVERED');

    const calls = [receiver.received[0]!, receiver.received[before]!];
    const [first, retried] = calls.map(({ body }) => ({ ...(JSON.parse(body) as object), attempt: 0 }));
    expect(retried).toEqual(first);
    expect(first).toMatchObject({
      tag: 'A',
      content: { cc: ['eve@example.com'], attachments: [{ filename: 'Grüße.txt', content: FILE.data }] },
    });
    expect(calls.map(({ headers }) => headers['x-team'])).toEqual(['blue', 'blue']);
  });
});
