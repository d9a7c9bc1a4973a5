import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { messages } from '@tidings/contracts/messaging/messages';
import { type Provider, providers } from '@tidings/contracts/messaging/providers';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import { waitUntil } from '@tidings/testing/wait-until';
import { ProviderChanges } from '../providers/provider-configurations';
import { makeDue, untilMadeDue } from '../testing/make-due';
import { Messaging } from '../testing/start-messaging';

import '@tidings/testing/quiet';

const SECRET = 'a secret of some length';
const PROFILE = { email: 'ada@example.com', phone_number: '+4915123456789' };

describe('the routes of a message', () => {
  let messaging: Messaging;
  let sms: CapturingHttp;
  let other: CapturingHttp;
  let first: Provider;
  let second: Provider;

  beforeAll(async () => {
    messaging = await Messaging.create();
    await messaging.start();
    sms = await CapturingHttp.start();
    other = await CapturingHttp.start();
    first = await configure('first-sms', sms);
    second = await configure('second-sms', other);
  });

  beforeEach(() => {
    for (const receiver of [sms, other]) {
      receiver.received.length = 0;
      receiver.answer(200, { id: 'accepted' });
    }
    messaging.profiles.recipients.clear();
    messaging.profiles.topics.length = 0;
  });

  afterAll(async () => {
    await messaging.end();
    await sms.stop();
    await other.stop();
  });

  const configure = (alias: string, receiver: CapturingHttp) =>
    messaging.call(providers.create, { provider: 'http', alias, settings: { channel: 'sms', url: receiver.url, secret: SECRET } });
  const send = async (request: Parameters<Messaging['request']>[0]): Promise<string> =>
    (await messaging.send({ profile: PROFILE, ...request }))[0]!;
  const record = (id: string) => messaging.call(messages.retrieve, { message_id: id });
  const ended = async (id: string) => (await record(id)).providers!.filter(({ status }) => status !== undefined);
  const historyOf = async (id: string) =>
    (await messaging.call(messages.history, { message_id: id })).results.map(({ type, channel, reason }) =>
      [type, (channel as { id?: string } | undefined)?.id, reason].filter(Boolean).join(' '),
    );

  it('continue with the next provider when one fails, and the history records both', async () => {
    sms.answer(400, { message: 'no such number' });
    other.answer(404);
    const id = await send({ routing: { method: 'single', channels: ['sms', 'email'] } });

    await messaging.waitForStatus(id, 'DELIVERED');

    expect(await historyOf(id)).toEqual([
      'ENQUEUED',
      'PROFILE_LOADED',
      ...['ROUTED sms', 'RENDERED sms', 'DELIVERING sms', 'UNDELIVERABLE sms PROVIDER_ERROR'],
      ...['ROUTED sms', 'RENDERED sms', 'DELIVERING sms', 'UNDELIVERABLE sms PROVIDER_ERROR'],
      ...['ROUTED email', 'RENDERED email', 'DELIVERING email', 'SENT email', 'DELIVERED email'],
    ]);
    const details = await record(id);
    expect(details).not.toHaveProperty('error');
    expect(details.providers).toMatchObject([
      { channel: { key: 'sms' }, provider: 'http', status: 'UNDELIVERABLE' },
      { channel: { key: 'sms' }, provider: 'http', status: 'UNDELIVERABLE' },
      { channel: { key: 'email' }, provider: 'smtp', status: 'DELIVERED' },
    ]);
    expect([sms.received.length, other.received.length]).toEqual([1, 1]);
    expect(await messaging.rows('select 1 from messaging.open_messages')).toEqual([]);
  });

  it('end with the last error when every one of them failed', async () => {
    sms.answer(400);
    other.answer(410, { message: 'number deleted' });
    const id = await send({ routing: { method: 'single', channels: ['sms'] } });

    await messaging.waitForStatus(id, 'UNDELIVERABLE');

    expect(await record(id)).toMatchObject({ reason: 'PROVIDER_ERROR', error: expect.stringContaining('410') as string });
  });

  it('are retried within the time limit of the provider, then the next one is tried', async () => {
    sms.answer(503);
    const id = await send({
      routing: { method: 'single', channels: ['sms'] },
      timeouts: { providerMs: { http: 2_000 } }, // the second attempt comes after about a twentieth of it
    });

    await messaging.waitForStatus(id, 'SENT');

    expect(sms.received.length).toBeGreaterThan(1);
    expect(new Set(sms.received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(other.received).toHaveLength(1);
    expect((await historyOf(id)).filter((event) => event.startsWith('DELIVERING'))).toHaveLength(2);
  });

  it('have the time limit of the message on the last one with content', async () => {
    sms.answer(503);
    const id = await send({
      content: { version: '2022-01-01', elements: [{ type: 'channel', channel: 'sms', elements: [{ type: 'text', content: 'Hello' }] }] },
      routing: { method: 'single', channels: ['first-sms', 'email', 'inbox'] },
      timeouts: { providerMs: 150, channelMs: 150 },
    });

    // The third attempt comes after about 300 ms.
    await waitUntil(() => sms.received.length >= 3, { what: 'three attempts' });
    sms.answer(200);

    await messaging.waitForStatus(id, 'SENT');
    expect((await record(id)).providers).toMatchObject([{ channel: { key: 'sms' }, status: 'SENT' }]);
  });

  it('are in the record and in lists while they are retried, after those that ended', async () => {
    for (const receiver of [sms, other]) receiver.answer(500, 'boom');
    const since = Date.now();
    const id = await send({ routing: { method: 'all', channels: ['first-sms', 'second-sms', 'email'] } });
    const waiting = await waitUntil(
      async () => {
        const { providers = [], status } = await record(id);
        const [, ...routes] = providers;
        const areWaiting = routes.length === 2 && routes.every(({ attempts, next_attempt }) => attempts! > 1 && next_attempt !== undefined);
        return status === 'DELIVERED' && areWaiting ? providers : undefined;
      },
      { what: 'retries' },
    );

    const channel = { key: 'sms', template: '' };
    const number = expect.any(Number) as number;
    const retried = { channel, provider: 'http', attempts: number, next_attempt: number, error: 'The receiver answered 500: boom' };
    const names = ({ id: configuration_id, alias }: Provider) => ({ configuration_id, alias });
    expect(waiting).toEqual([
      expect.objectContaining({ provider: 'smtp', configuration_id: 'default', status: 'DELIVERED', attempts: 1 }),
      { ...retried, ...names(first), providerResponse: { status: 500, body: 'boom' } },
      { ...retried, ...names(second), providerResponse: { status: 500, body: 'boom' } },
    ]);
    expect(waiting[1]!.next_attempt).toBeGreaterThan(since);
    const { results } = await messaging.call(messages.list, { messageId: id });
    expect(results[0]!.providers).toMatchObject([{ provider: 'smtp' }, { alias: 'first-sms' }, { alias: 'second-sms' }]);
    for (const one of results[0]!.providers!) expect(one).not.toHaveProperty('providerResponse');
    expect((await historyOf(id)).filter((event) => event.startsWith('DELIVERING'))).toHaveLength(3);

    for (const receiver of [sms, other]) receiver.answer(200);
    await waitUntil(async () => (await ended(id)).length === 3, { what: 'all ends' });
    for (const one of (await record(id)).providers!.slice(1)) {
      expect(one).toMatchObject({ status: 'SENT', providerResponse: { status: 200 } });
      expect(one.attempts).toBeGreaterThan(2);
      expect(one).not.toHaveProperty('next_attempt');
      expect(one).not.toHaveProperty('error');
    }
  });

  it('are all tried with the method `all`; a failed one is recorded and does not affect the others', async () => {
    sms.answer(400);
    const id = await send({ routing: { method: 'all', channels: ['first-sms', 'second-sms', 'email'] } });

    await waitUntil(async () => (await ended(id)).length === 3, { what: 'three ends' });

    const details = await record(id);
    expect(details.status).toBe('DELIVERED');
    expect(details.providers!.map(({ status }) => status).sort()).toEqual(['DELIVERED', 'SENT', 'UNDELIVERABLE']);
    expect((await historyOf(id)).filter((event) => event.startsWith('ROUTED'))).toHaveLength(3);
  });

  it('without an address, a provider or a true condition are left out, and the error states why', async () => {
    const lacking = await send({ profile: { email: 'ada@example.com' }, routing: { method: 'single', channels: ['sms'] } });
    const absent = await send({ routing: { method: 'single', channels: ['push', 'webhook'] } });
    const unmet = await send({ routing: { method: 'single', channels: ['email'] }, channels: { email: { if: 'data.vip === true' } } });

    await messaging.waitForStatus(lacking, 'UNROUTABLE');
    await messaging.waitForStatus(absent, 'UNROUTABLE');
    await messaging.waitForStatus(unmet, 'FILTERED');

    expect(await record(lacking)).toMatchObject({ reason: 'NO_PROVIDERS', error: expect.stringContaining('phone_number') as string });
    expect(await record(absent)).toMatchObject({ reason: 'NO_PROVIDERS', error: expect.stringContaining('push') as string });
    expect(await record(unmet)).toMatchObject({ reason: 'FILTERED', error: expect.stringContaining('email') as string });
    expect(await historyOf(unmet)).toEqual(['ENQUEUED', 'PROFILE_LOADED', 'FILTERED FILTERED']);
  });

  it('without visible content are left out, unless an override of the send has content', async () => {
    const forVips = (channel: string) => ({
      type: 'channel',
      channel,
      elements: [{ type: 'text', content: 'x', if: 'data.vip === true' }],
    });
    const content = {
      elements: [forVips('sms'), { type: 'channel', channel: 'email', elements: [{ type: 'text', content: 'mail' }] }],
    } as MessageRequested['content'];
    const routing = { method: 'single' as const, channels: ['first-sms', 'email'] };
    const blank = await send({ content, routing });
    const overridden = await send({ content, routing, channels: { sms: { override: { body: { content: { text: 'own' } } } } } });
    const empty = await send({ content: { title: '', body: '' }, routing });

    await messaging.waitForStatus(blank, 'DELIVERED');
    await messaging.waitForStatus(overridden, 'SENT');
    await messaging.waitForStatus(empty, 'UNROUTABLE');

    expect((await historyOf(blank)).filter((event) => event.startsWith('ROUTED'))).toEqual(['ROUTED email']);
    expect(sms.received.map(({ body }) => (JSON.parse(body) as { content: object }).content)).toEqual([{ text: 'own' }]);
    expect(await record(empty)).toMatchObject({ reason: 'NO_CHANNELS', error: expect.stringContaining('content is empty') as string });
  });

  it('are planned after the delay of the message, with the profile stored then', async () => {
    messaging.profiles.stored.set('ada', { email: 'before@example.com' });
    const id = await send({ userId: 'ada', profile: {}, delay: untilMadeDue() });
    await messaging.waitForStatus(id, 'DELAYED');
    messaging.profiles.stored.set('ada', { email: 'after@example.com' });
    await makeDue(messaging, [id]);

    await messaging.waitForStatus(id, 'DELIVERED');

    expect(messaging.smtp.mailsTo('after@example.com')).toHaveLength(1);
    expect(messaging.smtp.mailsTo('before@example.com')).toHaveLength(0);
    expect(await historyOf(id)).toEqual([
      'ENQUEUED',
      'DELAYED',
      ...['PROFILE_LOADED', 'ROUTED email', 'RENDERED email', 'DELIVERING email', 'SENT email', 'DELIVERED email'],
    ]);
    const { results } = await messaging.call(messages.history, { message_id: id, type: 'PROFILE_LOADED' });
    expect(results).toMatchObject([
      { stored_profile: { email: 'after@example.com' }, received_profile: {}, merged_profile: { email: 'after@example.com' } },
    ]);
  });

  it('survive a restart of the service', async () => {
    const delayed = await send({ profile: { email: 'later@example.com' }, delay: untilMadeDue() });
    let cutConnection = (): void => undefined;
    sms.answering = (answer) => (cutConnection = () => void answer.destroy());
    const cut = await send({
      routing: { method: 'single', channels: ['first-sms', 'email'] },
      profile: { ...PROFILE, email: 'cut@example.com' },
    });
    await waitUntil(() => sms.received.length > 0, { what: 'the call' });
    await messaging.waitForStatus(delayed, 'DELAYED');
    sms.answer(400);
    const stopped = messaging.stop();
    cutConnection();
    await stopped;
    await messaging.start();
    await makeDue(messaging, [delayed]);

    await messaging.waitForStatus(delayed, 'DELIVERED');
    await messaging.waitForStatus(cut, 'DELIVERED');
    expect(messaging.smtp.mailsTo('later@example.com')).toHaveLength(1);
    expect(messaging.smtp.mailsTo('cut@example.com')).toHaveLength(1);
  });

  it('are not tried when the recipient opted out, and the history names the preference', async () => {
    messaging.profiles.topics.push({
      workspace_id: messaging.workspaceId,
      topic_id: 'news',
      name: 'News',
      default_status: 'OPTED_IN',
      include_unsubscribe_header: false,
      section_id: 's',
      section_name: 'S',
    });
    const choice = { topic_id: 'news', tenant_id: null, has_custom_routing: false, custom_routing: [] };
    messaging.profiles.recipients.set('ada', { choices: [{ ...choice, status: 'OPTED_OUT' }] });
    const id = await send({ userId: 'ada', topicId: 'news' });

    await messaging.waitForStatus(id, 'UNDELIVERABLE');

    expect(await record(id)).toMatchObject({ reason: 'UNSUBSCRIBED', error: 'Notification opted out by user' });
    const { results } = await messaging.call(messages.history, { message_id: id, type: 'UNDELIVERABLE' });
    expect(results).toMatchObject([{ reason: 'UNSUBSCRIBED', rule: 'own choice of user ada' }]);
  });

  it('are limited to the channels that the recipient chose', async () => {
    const choice = { topic_id: 'news', tenant_id: null, has_custom_routing: true };
    messaging.profiles.recipients.set('ada', { choices: [{ ...choice, status: 'OPTED_IN', custom_routing: ['sms'] }] });
    messaging.profiles.recipients.set('eve', { choices: [{ ...choice, status: 'OPTED_IN', custom_routing: ['push'] }] });
    const routing = { method: 'all' as const, channels: ['email', 'first-sms'] };
    const [ada, eve] = [await send({ userId: 'ada', topicId: 'news', routing }), await send({ userId: 'eve', topicId: 'news', routing })];

    await messaging.waitForStatus(ada, 'SENT');
    await messaging.waitForStatus(eve, 'UNROUTABLE');

    expect((await historyOf(ada)).filter((event) => event.startsWith('ROUTED'))).toEqual(['ROUTED sms']);
    expect(await historyOf(eve)).toEqual(['ENQUEUED', 'PROFILE_LOADED', 'UNROUTABLE email UNSUBSCRIBED', 'UNROUTABLE sms UNSUBSCRIBED']);
  });

  it('escalate to the next one when the recipient does not react in time', async () => {
    const id = await send({
      routing: { method: 'single', channels: ['first-sms', 'email'] },
      timeouts: { criteria: 'viewed', escalationMs: 300 },
      profile: { ...PROFILE, email: 'escalated@example.com' },
    });

    await messaging.waitForStatus(id, 'DELIVERED');

    expect(sms.received).toHaveLength(1);
    expect(messaging.smtp.mailsTo('escalated@example.com')).toHaveLength(1);
    expect((await record(id)).providers).toMatchObject([{ status: 'SENT' }, { status: 'DELIVERED' }]);
  });

  it('continue with the next provider after the time limit that the send sets by alias', async () => {
    sms.answer(503);
    const id = await send({
      routing: { method: 'single', channels: ['first-sms', 'second-sms'] },
      timeouts: { providerMs: { 'first-sms': 300 } },
    });

    await messaging.waitForStatus(id, 'SENT');
    expect(other.received).toHaveLength(1);
  });

  it('with a test key are simulated, each one that would be tried', async () => {
    const id = await send({ mode: 'test', routing: { method: 'all', channels: ['email', { method: 'single', channels: ['sms'] }] } });

    await messaging.waitForStatus(id, 'SIMULATED');

    expect((await historyOf(id)).filter((event) => event.startsWith('SIMULATED'))).toEqual(['SIMULATED email', 'SIMULATED sms']);
    expect(sms.received).toHaveLength(0);
  });

  it('use a provider that was only just configured, before its change event arrives', async () => {
    const routing = { method: 'single' as const, channels: ['late-sms'] };
    const changed: string[] = [];
    messaging.get<ProviderChanges>(ProviderChanges).onChange(({ payload }) => changed.push(payload!.id));
    const { id } = await configure('announced', sms);
    // From the first change event on, loaded configurations are cached.
    await waitUntil(() => changed.includes(id), { what: 'the change event' });
    await messaging.waitForStatus(await send({ routing }), 'UNROUTABLE');
    // As the handler does it, but without a change event.
    await messaging.rows(
      `insert into messaging.provider_configurations (workspace_id, configuration_id, provider, channel, alias, settings, secrets, position)
       select workspace_id, 'prv_late', provider, channel, 'late-sms', settings, secrets, position
         from messaging.provider_configurations where alias = 'first-sms'`,
    );

    await messaging.waitForStatus(await send({ routing }), 'SENT');
    expect(sms.received).toHaveLength(1);
  });
});
