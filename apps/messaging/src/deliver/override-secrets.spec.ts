import '@tidings/testing/quiet';
import { randomBytes } from 'node:crypto';
import type { LoadedTemplate } from '@tidings/contracts/content/sending';
import { bulk } from '@tidings/contracts/messaging/bulk';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { messageActions, messages } from '@tidings/contracts/messaging/messages';
import { providers } from '@tidings/contracts/messaging/providers';
import { OverrideSecrets } from '@tidings/runtime/override-secrets';
import { keyIdOf } from '@tidings/runtime/secret-box';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import { waitUntil } from '@tidings/testing/wait-until';
import { Messaging } from '../testing/start-messaging';
import { TopicReaders } from '../testing/topic-readers';
const [KEY, NEW_KEY] = [randomBytes(32), randomBytes(32)];
const ROUTING = { method: 'single' as const, channels: ['sms'] };
const MASKED = { config: { authorization: '***' }, headers: { 'x-key': '***' } };

describe('secrets of overrides', () => {
  let messaging: Messaging;
  let receiver: CapturingHttp;

  beforeEach(async () => {
    receiver = await CapturingHttp.start();
    messaging = await Messaging.create();
  });

  afterEach(async () => {
    await messaging.end();
    await receiver.stop();
  });

  const start = async (secretKeys: readonly Buffer[]): Promise<void> => {
    await messaging.start('', { secretKeys, publishHistory: true });
  };
  const configure = () =>
    messaging.call(providers.create, {
      provider: 'http',
      settings: { channel: 'sms', url: receiver.url, secret: 'a secret of some length' },
    });
  const restart = async (secretKeys: readonly Buffer[]): Promise<void> => {
    await messaging.stop();
    await start(secretKeys);
  };
  const overriding = (secret: string) => ({ http: { override: { config: { authorization: secret }, headers: { 'x-key': secret } } } });
  const requestWith = (secret: string, request: Partial<MessageRequested> = {}): MessageRequested =>
    messaging.request({ profile: { phone_number: '+49151' }, routing: ROUTING, providers: overriding(secret), ...request });
  const received = (secret: string): number =>
    receiver.received.filter(({ headers }) => headers['x-key'] === secret && headers.authorization === secret).length;
  const attempted = (secret: string) => waitUntil(() => received(secret) > 0, { what: 'an attempt' });

  const isSealedWith = async (key: Buffer): Promise<boolean> => {
    const rows = await messaging.rows<{ key_id: string }>('select key_id from messaging.provider_configurations');
    return rows.every(({ key_id }) => key_id === keyIdOf(key));
  };

  /** The rows of all tables of the service and, by default, of the event log, as text. */
  async function stored(schemas = ['messaging', 'events']): Promise<string> {
    const tables = await messaging.rows<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = any ($1)`,
      [schemas],
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      texts.push(...(await messaging.rows<{ text: string }>(`select row::text as text from ${name} row`)).map(({ text }) => text));
    }
    return texts.join('\n');
  }

  it('reach the provider when sealed at the gateway, and are stored nowhere in the clear', async () => {
    await start([KEY]);
    await configure();
    const request = new OverrideSecrets([KEY]).accept(requestWith('hunter2'));
    const readers = await TopicReaders.on(messaging.log);
    receiver.answer(503);

    await messaging.append(request);
    await attempted('hunter2');
    expect(await stored()).not.toContain('hunter2');
    receiver.answer(200, { id: 'accepted' });
    await messaging.waitForStatus(request.id, 'SENT');

    const again = await messaging.call(messageActions.resend, { message_id: request.id });
    await messaging.waitForStatus(again.messageId, 'SENT');
    expect(received('hunter2')).toBeGreaterThanOrEqual(3);
    const ids = [request.id, again.messageId];
    const isPublished = (id: string): boolean =>
      readers.statusOf(id)?.status === 'SENT' && readers.eventsOf(id).some(({ type }) => type === 'SENT');
    await waitUntil(() => ids.every(isPublished), { what: 'the topics' });
    const everything = await stored();
    expect(everything).toContain(again.messageId);
    expect(everything).not.toContain('hunter2');
    for (const id of ids) {
      expect((await messaging.call(messages.history, { message_id: id })).results[0]).toMatchObject({ override: { http: MASKED } });
      expect(readers.eventsOf(id)[0]).toMatchObject({ override: { http: MASKED } });
    }
    expect(JSON.stringify([readers.history, readers.statuses])).not.toMatch(/tidings-sealed/);
  });

  it('are in no table where the log has them in the clear, fan-out included', async () => {
    await start([KEY]);
    await configure();
    messaging.profiles.stored.set('ada', { phone_number: '+49151' }).set('eve', { phone_number: '+49152' });
    const users = ['ada', 'eve'].map((userId) => ({ kind: 'user' as const, recipient: userId, userId, profile: {} }));
    const several = Array.from({ length: 11 }, () => users).flat();

    await messaging.append(
      requestWith('hunter2'),
      requestWith('hunter2', { targets: users }),
      requestWith('hunter2', { targets: several }),
    );

    await waitUntil(() => received('hunter2') === 1 + users.length + several.length, { what: 'every message' });
    expect(await stored(['messaging'])).not.toContain('hunter2');
  });

  it('are in no table of messages where they come from a template, which content has sealed or in clear', async () => {
    await start([KEY]);
    await configure();
    const content: LoadedTemplate['content'] = { version: '2022-01-01', elements: [{ type: 'text', content: 'Thank you' }] };
    const inClear = { channels: {}, providers: overriding('hunter2') };
    messaging.content.publish('in clear', content, inClear);
    messaging.content.publish('sealed', content, new OverrideSecrets([KEY]).acceptSettings(messaging.workspaceId, inClear));

    const requests = ['in clear', 'sealed'].map((template) => requestWith('', { template, content: undefined, providers: undefined }));
    const headers = { 'x-key': 'of the send' };
    const merged = requestWith('', { template: 'sealed', content: undefined, providers: { http: { override: { headers } } } });
    await messaging.append(...requests, merged);

    for (const { id } of [...requests, merged]) await messaging.waitForStatus(id, 'SENT');
    expect(received('hunter2')).toBe(2);
    expect(receiver.received).toContainEqual(
      expect.objectContaining({ headers: expect.objectContaining({ ...headers, authorization: 'hunter2' }) as unknown }),
    );
    expect(await stored()).not.toContain('hunter2');
  });

  it('stay valid where they were stored before there was a key; a resend seals them', async () => {
    await start([]);
    await configure();
    receiver.answer(503);
    const request = requestWith('hunter2');
    await messaging.append(request);
    await attempted('hunter2');

    await restart([KEY]);
    receiver.answer(200);
    await messaging.waitForStatus(request.id, 'SENT');
    const before = (await stored()).split('hunter2').length;
    const again = await messaging.call(messageActions.resend, { message_id: request.id });
    await messaging.waitForStatus(again.messageId, 'SENT');

    expect((await stored()).split('hunter2')).toHaveLength(before);
    expect(received('hunter2')).toBeGreaterThanOrEqual(3);
  });

  it('fail their message, with the reason, when their key was removed', async () => {
    await start([KEY]);
    await configure();
    receiver.answer(503);
    const request = requestWith('hunter2');
    await messaging.append(request);
    await attempted('hunter2');
    await restart([NEW_KEY, KEY]);
    await waitUntil(() => isSealedWith(NEW_KEY), { what: 'the configuration to be sealed again' });
    await messaging.stop();
    await messaging.rows('update messaging.deliveries set due_at = clock_timestamp()'); // whatever its backoff
    const calls = receiver.received.length;

    await start([NEW_KEY]);
    await messaging.waitForStatus(request.id, 'UNDELIVERABLE');

    expect(await messaging.call(messages.retrieve, { message_id: request.id })).toMatchObject({
      error: 'override.config.authorization was sealed with a key that TIDINGS_SECRET_KEY does not hold',
    });
    expect(receiver.received).toHaveLength(calls);
  });

  describe('in profiles', () => {
    const configureFor = (channel: string) =>
      messaging.call(providers.create, { provider: 'http', settings: { channel, url: receiver.url, secret: 'a secret of some length' } });
    const only = (channel: string) => ({ method: 'single' as const, channels: [channel] });
    const slack = { slack: { channel: 'C1', access_token: 'hunter2' } };
    const webhook = () => ({
      webhook: { url: `${receiver.url}/hunter2`, headers: { 'x-key': 'hunter2' }, authentication: { mode: 'bearer', token: 'hunter2' } },
    });
    const content = { title: 'Hello', body: 'Do not show {{profile.webhook.url}} {{profile.slack.access_token}}' };

    it('reach the provider, and are stored and rendered nowhere in the clear', async () => {
      await start([KEY]);
      await configureFor('webhook');
      await configureFor('direct_message');
      messaging.profiles.stored.set('ada', slack); // as of an identity that had no key
      receiver.answer(503);
      const given = new OverrideSecrets([KEY]).accept(messaging.request({ content, profile: webhook(), routing: only('webhook') }));
      const loaded = messaging.request({ content, userId: 'ada', recipient: 'ada', profile: {}, routing: only('direct_message') });
      await messaging.append(given, loaded);
      await waitUntil(() => receiver.received.length >= 2, { what: 'both attempts' });
      receiver.answer(200);
      await messaging.waitForStatus(given.id, 'DELIVERED');
      await messaging.waitForStatus(loaded.id, 'SENT');

      const again = await messaging.call(messageActions.resend, { message_id: given.id });
      await messaging.waitForStatus(again.messageId, 'DELIVERED');

      const toWebhook = receiver.received.filter(({ headers }) => headers.authorization === 'Bearer hunter2');
      expect(toWebhook.length).toBeGreaterThanOrEqual(3);
      expect(toWebhook.every(({ headers, body }) => headers['x-key'] === 'hunter2' && !body.includes('hunter2'))).toBe(true);
      expect(receiver.received.some(({ body }) => body.includes('"access_token":"hunter2"'))).toBe(true);
      const everything = await stored();
      expect(everything).toContain(again.messageId);
      expect(everything).not.toContain('hunter2');
      const [enqueued] = (await messaging.call(messages.history, { message_id: given.id })).results;
      expect(enqueued).toMatchObject({ profile: { webhook: { url: '***', headers: { 'x-key': '***' } } } });
    });

    it('of a bulk job are sealed in its users, and shown as they were given', async () => {
      await start([KEY]);
      await configureFor('webhook');
      const { jobId: job_id } = await messaging.call(bulk.create, { message: { content, routing: only('webhook') } });
      const user = { recipient: 'ada', profile: webhook() };

      const added = await messaging.call(bulk.add, { job_id, users: [user, user, { to: slack }] });
      await messaging.call(bulk.run, { job_id });

      await waitUntil(() => receiver.received.some(({ headers }) => headers['x-key'] === 'hunter2'), { what: 'the message' });
      expect(added.errors[0]).toMatchObject({ user });
      expect((await messaging.call(bulk.users, { job_id })).items[0]).toMatchObject({ profile: webhook() });
      expect(await stored()).not.toContain('hunter2');
    });

    it('fail their message, with the reason, when their key was removed', async () => {
      await start([NEW_KEY]);
      await configureFor('webhook');
      const request = new OverrideSecrets([KEY]).accept(messaging.request({ profile: webhook(), routing: only('webhook') }));

      await messaging.append(request);
      await messaging.waitForStatus(request.id, 'UNDELIVERABLE');

      expect(await messaging.call(messages.retrieve, { message_id: request.id })).toMatchObject({
        error: 'profile.webhook.url was sealed with a key that TIDINGS_SECRET_KEY does not hold',
      });
      expect(receiver.received).toHaveLength(0);
    });
  });

  it('are sealed in the definition and the messages of a bulk job; only their names are shown', async () => {
    await start([]);
    await configure();
    const { content } = messaging.request();
    const { jobId: early } = await messaging.call(bulk.create, { message: { content, providers: overriding('early') } });
    await restart([KEY]);
    const override = { http: overriding('hunter2').http.override };
    const { jobId } = await messaging.call(bulk.create, { message: { content, override } });
    for (const job_id of [early, jobId]) {
      await messaging.call(bulk.add, { job_id, users: [{ profile: { phone_number: '+49151' } }] });
      await messaging.call(bulk.run, { job_id });
    }

    await waitUntil(() => received('hunter2') === 1 && received('early') === 1, { what: 'both messages' });
    expect((await messaging.call(bulk.retrieve, { job_id: jobId })).job.definition).toMatchObject({ override: { http: MASKED } });
    expect((await messaging.call(bulk.retrieve, { job_id: early })).job.definition).toMatchObject({
      providers: { http: { override: MASKED } },
    });
    const everything = await stored();
    expect(everything).not.toContain('hunter2');
    expect(everything.split('"early"')).toHaveLength(3); // both values of the definition stored before there was a key
  });
});
