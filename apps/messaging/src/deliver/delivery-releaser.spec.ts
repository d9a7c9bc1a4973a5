import '@tidings/testing/quiet';
import type { ServerResponse } from 'node:http';
import { messages } from '@tidings/contracts/messaging/messages';
import { type Provider, providers } from '@tidings/contracts/messaging/providers';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import { waitUntil } from '@tidings/testing/wait-until';
import { HttpProviderFixture, SETTINGS } from './http-provider.fixture';

/** More than open a breaker. */
const MANY = 12;
const HOUR_S = 3_600;

const fixture = HttpProviderFixture.use();
let { messaging, receiver, provider } = fixture;
beforeEach(() => void ({ messaging, receiver, provider } = fixture));

const send = async (count: number, ...channels: string[]): Promise<string[]> => {
  const one = { profile: { phone_number: '+49151' }, routing: { method: 'single' as const, channels: [provider.alias!, ...channels] } };
  return messaging.send(...Array.from({ length: count }, () => one));
};
const correct = (): Promise<Provider> =>
  messaging.call(providers.change, { id: provider.id, settings: { url: `${receiver.url}/corrected`, secret: SETTINGS.secret } });
const allSent = (ids: readonly string[]) => fixture.allSent(ids);
/** Resolves when so many deliveries wait for the provider, longer than a minute where the plan of retries decides it. */
const waiting = (count: number): Promise<unknown> =>
  waitUntil(
    async () => {
      const found = await messaging.rows(
        `select from messaging.deliveries where integration = $1 and not attempt_open and due_at > clock_timestamp() + interval '20 seconds'`,
        [provider.id],
      );
      return found.length === count;
    },
    { what: `${count} waiting deliveries` },
  );
/** Puts off the only delivery of a configuration, once it waits. */
const deferred = (integration: string): Promise<unknown> =>
  waitUntil(
    async () => {
      const put = `update messaging.deliveries set due_at = clock_timestamp() + interval '1 minute'
                   where integration = $1 and not attempt_open returning 1`;
      return (await messaging.rows(put, [integration])).length === 1;
    },
    { what: 'a waiting delivery' },
  );
/** Sends messages that the receiver defers for an hour; its breaker is open for as long. */
const sendToWait = async (count: number): Promise<string[]> => {
  receiver.answer(503, '', { 'retry-after': String(HOUR_S) });
  const ids = await send(count);
  await waiting(count);
  receiver.answer(200, { id: 'accepted' });
  return ids;
};

describe('deliveries that wait for a provider', () => {
  it('are made due by a change of its configuration, whether its breaker or the plan of retries holds them', async () => {
    const ids = await sendToWait(MANY);

    await correct();

    await allSent(ids);
    const corrected = receiver.received.filter(({ url }) => url === '/hook/corrected');
    expect(new Set(corrected.map(({ headers }) => headers['x-courier-message-id']))).toEqual(new Set(ids));
  });

  it('are made due on demand', async () => {
    const ids = await sendToWait(MANY);

    await expect(messaging.call(providers.retryNow, { id: provider.id })).resolves.toEqual({ deliveries: MANY });

    await allSent(ids);
    await expect(messaging.call(providers.retryNow, { id: provider.id })).resolves.toEqual({ deliveries: 0 });
  });

  it('are made due on demand where it is the one of the operator', async () => {
    messaging.smtp.treat('later@example.com', { deferFirst: 1_000 });
    const [id] = await messaging.send({ profile: { email: 'later@example.com' } });
    await deferred('default');
    messaging.smtp.treat('later@example.com', {});

    await expect(messaging.call(providers.retryNow, { id: 'default' })).resolves.toEqual({ deliveries: 1 });

    await messaging.waitForStatus(id!, 'DELIVERED');
  });

  it('are retried soon where their call began before the change', async () => {
    const open: ServerResponse[] = [];
    receiver.answering = (answer) => open.push(answer);
    const ids = await send(1);
    await waitUntil(() => open.length === 1, { what: 'the call' });
    receiver.answer(200, { id: 'accepted' });
    await correct();
    const releases = () => messaging.rows('select from messaging.delivery_releases');
    await waitUntil(async () => (await releases()).length === 0, { what: 'the end of the release' });

    open[0]!.writeHead(503, { 'retry-after': String(HOUR_S) }).end();

    await allSent(ids);
  });

  it('are sent by the next route when it is disabled', async () => {
    const other = await CapturingHttp.start();
    try {
      const next = await fixture.configure(other);
      receiver.answer(503);
      const [id] = await send(1, next.alias!);
      await deferred(provider.id);

      await messaging.call(providers.change, { id: provider.id, enabled: false });

      await messaging.waitForStatus(id!, 'SENT');
      const { results } = await messaging.call(messages.history, { message_id: id! });
      expect(results.find(({ type }) => type === 'UNDELIVERABLE')).toMatchObject({
        error_message: expect.stringContaining(`Provider ${provider.alias} (http) is disabled`) as string,
      });
    } finally {
      await other.stop();
    }
  });

  it('end when it is removed by force; without, the answer is their number', async () => {
    const ids = await sendToWait(2);
    const before = Date.now();
    const listed = async (name: string) => {
      const { results } = await messaging.call(messages.list, { provider: [name], enqueued_after: String(before - 60_000) });
      return results.map(({ id }) => id).filter((id) => ids.includes(id));
    };
    for (const name of ['http', provider.id, provider.alias!]) expect(await listed(name)).toEqual(ids.toReversed());

    const refused = (await messaging.call(providers.remove, { id: provider.id }).catch((error: unknown) => error)) as Error;

    const [, until] = /^2 deliveries wait for provider configuration \S+, until (\S+) unless/.exec(refused.message) ?? [];
    expect(Date.parse(until!) - before).toBeGreaterThan(71 * HOUR_S * 1_000);
    await messaging.call(providers.remove, { id: provider.id, force: true });
    await Promise.all(ids.map((id) => messaging.waitForStatus(id, 'UNDELIVERABLE')));
    const record = await messaging.call(messages.retrieve, { message_id: ids[0]! });
    expect(record).toMatchObject({
      reason: 'PROVIDER_ERROR',
      error: expect.stringContaining(`Provider ${provider.alias} (http) is not configured any more`) as string,
      providers: [{ configuration_id: provider.id, alias: provider.alias }],
    });
    expect(await listed(provider.id)).toEqual(ids.toReversed());
  });
});

it('a disabled provider sends nothing, and its channel has the default one again', async () => {
  const { id } = await messaging.call(providers.create, {
    provider: 'smtp',
    enabled: false,
    settings: { host: '127.0.0.1', port: 1, from_address: 'shop@example.com' },
  });
  const before = messaging.smtp.mails.length;
  const [first] = await messaging.send();
  await messaging.waitForStatus(first!, 'DELIVERED');
  expect(messaging.smtp.mails).toHaveLength(before + 1);

  await messaging.call(providers.change, { id: provider.id, enabled: false });
  await waitUntil(
    async () => {
      const [other] = await send(1);
      await waitUntil(async () => !['ENQUEUED', 'ROUTED'].includes(await messaging.statusOf(other!)));
      return (await messaging.statusOf(other!)) === 'UNROUTABLE';
    },
    { what: 'the change to take effect' },
  );
  await messaging.call(providers.remove, { id });
});
