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

describe('what a provider is called with', () => {
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
    receiver.answer(200, { id: 'taken' });
    messaging.smtp.reset();
    messaging.profiles.recipients.clear();
    messaging.profiles.reports.length = 0;
  });

  afterAll(async () => {
    await messaging.end();
    await receiver.stop();
  });

  /** Resolves when messages go by it. */
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

  describe('of an e-mail', () => {
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

    it('is who sends it, who gets copies and the files, of the template and of the send over it', async () => {
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
    ])('is nothing where %j is no address', async (override, error) => {
      const id = await send({ profile: { email: 'lost@example.com' }, routing: only('email'), channels: { email: { override } } });

      await messaging.waitForStatus(id, 'UNDELIVERABLE');

      expect(await record(id)).toMatchObject({ reason: 'FAILED', error: expect.stringContaining(error) as string });
      expect(messaging.smtp.arrivals).toHaveLength(0);
    });
  });

  it('is changed by the override of its kind; of settings and headers the history tells the names alone', async () => {
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

  it('fails where the send changes what it may not, and says which', async () => {
    const smtp = { override: { config: { host: 'evil.example', pass: 'hunter2' } } };
    const id = await send({ routing: only('email'), providers: { smtp } });

    await messaging.waitForStatus(id, 'UNDELIVERABLE');

    expect(await record(id)).toMatchObject({ error: expect.stringContaining('override.config.host') as string });
    expect(messaging.smtp.arrivals).toHaveLength(0);
  });

  it('as a webhook goes where its recipient wants it', async () => {
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

  describe('of push tokens', () => {
    const stored = (token: string, status: 'active' | 'unknown' | 'failed') => ({
      token,
      provider_key: 'apn' as const,
      status,
      device: null,
      properties: null,
    });

    it('those that were refused are told to identity and listed, and those that were taken unless they were known to be well', async () => {
      const tokens = [stored('well', 'active'), stored('new', 'unknown'), stored('gone', 'active'), stored('odd', 'failed')];
      messaging.profiles.recipients.set('ada', { tokens });
      const refused_tokens = ['gone', { token: 'odd', outcome: 'suspicious', code: 'Bad\u0000Token' }];
      receiver.answer(200, { id: 'p-1', refused_tokens });
      const id = await send({ userId: 'ada', profile: { expo: 'inline' }, routing: only('push') });

      await messaging.waitForStatus(id, 'SENT');
      await waitUntil(() => messaging.profiles.reports.length === 3, { what: 'the reports' });

      expect(posted()).toMatchObject({ recipient: { tokens: [...tokens.map(({ token }) => ({ token })), { token: 'inline' }] } });
      expect(receiver.received[0]!.body).not.toContain('status');
      const report = { workspace_id: messaging.workspaceId, at: expect.any(Number) as number };
      const byToken = messaging.profiles.reports.toSorted((one, other) => one.token.localeCompare(other.token));
      expect(byToken).toEqual([
        { ...report, token: 'gone', outcome: 'revoked' },
        { ...report, token: 'new', outcome: 'accepted' },
        { ...report, token: 'odd', outcome: 'suspicious', code: 'Bad\uFFFDToken' },
      ]);
      expect((await record(id)).providers![0]!.providerResponse).toMatchObject({
        status: 200,
        refused_tokens: [
          { token: 'gone', outcome: 'revoked' },
          { token: 'odd', outcome: 'suspicious' },
        ],
      });
      await waitUntil(async () => (await messaging.rows('select 1 from messaging.token_reports')).length === 0, {
        what: 'nothing to be left',
      });
    });

    it('the reports survive a restart while identity is away', async () => {
      receiver.answer(410, { cause: 'token' });
      const id = await send({ profile: { apn: 'dead' }, routing: only('push') });
      messaging.profiles.away = true;
      await messaging.waitForStatus(id, 'UNDELIVERABLE').finally(() => messaging.stop());
      expect(messaging.profiles.reports).toEqual([]);
      messaging.profiles.away = false;

      await messaging.rows('update messaging.token_reports set due_at = clock_timestamp()');
      await messaging.start();

      await waitUntil(() => messaging.profiles.reports.length > 0, { what: 'the report' });
      expect(messaging.profiles.reports).toMatchObject([{ token: 'dead', outcome: 'revoked' }]);
      expect(await record(id)).toMatchObject({ providers: [{ providerResponse: { status: 410, refused_tokens: [{ token: 'dead' }] } }] });
    });
  });

  it('is kept until it arrived: a configuration that a message waits for is not removed', async () => {
    const { id } = await configure('sms', 'second-sms');
    receiver.answer(503);
    const message = await send({ profile: { phone_number: '+49151' }, routing: only('second-sms') });
    await waitUntil(() => receiver.received.length > 0, { what: 'the first call' });

    await expect(messaging.call(providers.remove, { id: id })).rejects.toMatchObject({ code: 'conflict' });
    receiver.answer(200);
    await messaging.waitForStatus(message, 'SENT');

    await messaging.call(providers.remove, { id: id });
  });

  it('keeps flowing while ten recipients and more are greylisted', async () => {
    const breakersOpened = async (): Promise<string[]> =>
      (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith('tidings_provider_breaker_openings_total{'));
    const before = await breakersOpened();
    const greylisted = Array.from({ length: 15 }, (_, n) => `grey${n}@example.com`);
    for (const email of greylisted) messaging.smtp.treat(email, { deferFirst: Infinity });
    await messaging.send(...greylisted.map((email) => ({ recipient: email, profile: { email } })));
    // Who comes a second time was put off the first time.
    await waitUntil(() => messaging.smtp.arrivals.length >= 2 * greylisted.length, { what: 'all of them to be put off' });

    await messaging.waitForStatus(await send({ profile: { email: 'fine@example.com' } }), 'DELIVERED');

    expect(await breakersOpened()).toEqual(before);
    for (const email of greylisted) messaging.smtp.treat(email, {});
  });

  // The last one: from here on e-mail goes by the receiver.
  it('is the same in a repeat, whoever makes it and whatever the configuration is called', async () => {
    await configure('email', 'newsletter');
    receiver.answer(503);
    const own = { override: { attachments: [FILE], cc: 'eve@example.com', body: { tag: 'A' }, headers: { 'x-team': 'blue' } } };
    const id = await send({ providers: { newsletter: own } });
    await waitUntil(() => receiver.received.length > 0, { what: 'the first call' });
    await messaging.stop();
    receiver.answer(200, { delivered: true });
    const before = receiver.received.length;

    await messaging.start();
    await messaging.waitForStatus(id, 'DELIVERED');

    const calls = [receiver.received[0]!, receiver.received[before]!];
    const [first, again] = calls.map(({ body }) => ({ ...(JSON.parse(body) as object), attempt: 0 }));
    expect(again).toEqual(first);
    expect(first).toMatchObject({
      tag: 'A',
      content: { cc: ['eve@example.com'], attachments: [{ filename: 'Grüße.txt', content: FILE.data }] },
    });
    expect(calls.map(({ headers }) => headers['x-team'])).toEqual(['blue', 'blue']);
  });
});
