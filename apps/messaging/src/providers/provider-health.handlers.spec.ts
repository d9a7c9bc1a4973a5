import { randomUUID } from 'node:crypto';
import { type CallContext, SYSTEM_WORKSPACE_ID } from '@tidings/contracts/core/context';
import { MINUTE_MS } from '@tidings/contracts/core/duration';
import { type ProviderHealth, providerHealth, WAITING_COUNTED_MAX } from '@tidings/contracts/messaging/provider-health';
import { providerPauses } from '@tidings/contracts/messaging/provider-pauses';
import { Database } from '@tidings/persistence/database';
import { contextOf } from '@tidings/testing/context-of';
import { waitUntil } from '@tidings/testing/wait-until';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { ProvidersUnderTest } from '../testing/start-providers';
import { ProviderCounts, removeOldProviderCounts } from '../statistics/provider-counts';
import { Breakers } from './breakers';

/** More than open a breaker. */
const FAILURES_ENOUGH = 12;
let messaging: ProvidersUnderTest;
let context: CallContext;

beforeAll(async () => {
  messaging = await ProvidersUnderTest.start();
});
afterAll(() => messaging.service.stop());
beforeEach(() => {
  context = contextOf(randomUUID());
});

const list = async (of = context): Promise<ProviderHealth[]> => (await messaging.service.call(providerHealth.list, of, {})).results;
const insertDeliveries = (integration: string, count: number, error?: string): Promise<unknown> =>
  messaging.service.sql(
    `insert into deliveries (message_id, leaf, workspace_id, channel, provider, attempt, attempt_open, due_at, integration, last_error)
     select gen_random_uuid(), 0, $1, 'sms', 'http', 1, false, clock_timestamp() + interval '1 hour', $3, $4 from generate_series(1, $2)`,
    [context.workspaceId, count, integration, error ?? null],
  );

it('lists the providers in the order in which they are tried, with what waits for each', async () => {
  const second = await messaging.configure(context, { alias: 'second', order: 2 });
  const first = await messaging.configure(context, { order: 1, enabled: false });
  await insertDeliveries(second.id, 2);
  await insertDeliveries(second.id, 1, 'The endpoint answered 503');
  await insertDeliveries('default', 1);

  const quiet = { provider: 'http', channel: 'sms', enabled: true, breaker: 'closed', waiting: 0, retried: 0, calls: 0, calls_failed: 0 };
  await expect(list()).resolves.toEqual([
    { ...quiet, id: first.id, title: 'http', state: 'disabled', enabled: false },
    { ...quiet, id: second.id, title: 'http (second)', alias: 'second', state: 'active', waiting: 3, retried: 1 },
    { ...quiet, id: 'default', provider: 'smtp', channel: 'email', title: 'smtp (default)', state: 'active', waiting: 1 },
  ]);
});

it('counts up to a bound', async () => {
  const { id } = await messaging.configure(context);
  await insertDeliveries(id, WAITING_COUNTED_MAX + 1, 'The endpoint answered 503');

  await expect(list()).resolves.toMatchObject([{ id, waiting: WAITING_COUNTED_MAX, retried: WAITING_COUNTED_MAX }, { id: 'default' }]);
});

it('sums up the calls of the last five minutes, of all processes', async () => {
  const { id } = await messaging.configure(context);
  const replica = await messaging.replica();
  for (const counts of [messaging.service.get<ProviderCounts>(ProviderCounts), replica.get<ProviderCounts>(ProviderCounts)]) {
    counts.countCall(context.workspaceId, id, { atMs: Date.now(), durationMs: 100, isFailed: false });
    counts.countCall(context.workspaceId, id, { atMs: Date.now(), durationMs: 1_000, isFailed: true });
    counts.countCall(context.workspaceId, id, { atMs: Date.now() - 6 * MINUTE_MS, durationMs: 5_000, isFailed: true });
    await counts.flush();
  }
  await replica.stop();

  const [health] = await list();

  expect(health).toMatchObject({ id, calls: 4, calls_failed: 2 });
  expect(Math.abs(health!.call_p99_ms! - 1_000)).toBeLessThanOrEqual(200);
  expect((await list(contextOf(randomUUID())))[0]).toMatchObject({ id: 'default', calls: 0 });
});

it('removes counts of calls after an hour', async () => {
  const sql = (text: string) => messaging.service.sql<{ minute: number }>(text, [context.workspaceId]);
  const counts = messaging.service.get<ProviderCounts>(ProviderCounts);
  const now = Date.now();
  for (const minutes of [62, 58]) {
    counts.countCall(context.workspaceId, 'one', { atMs: now - minutes * MINUTE_MS, durationMs: 1, isFailed: false });
  }
  await counts.flush();

  await removeOldProviderCounts(messaging.service.get<Database>(Database), now, () => false);

  const rows = await sql('select minute from provider_minutes where workspace_id = $1');
  expect(rows).toEqual([{ minute: Math.floor(now / MINUTE_MS) - 58 }]);
});

it('names who paused a provider, also its kind in all workspaces', async () => {
  const { id } = await messaging.configure(context);
  const operator = { ...contextOf(SYSTEM_WORKSPACE_ID), actor: { type: 'operator', id: 'anna' } } as const;
  await messaging.service.call(providerPauses.pause, operator, { name: 'http' });

  const paused = {
    ...{ id, state: 'paused', enabled: true, paused_by: 'anna', paused_at: expect.any(Number) as number },
    ...{ paused_name: 'http', paused_in_all: true },
  };
  await expect(list()).resolves.toMatchObject([paused, { id: 'default', state: 'active' }]);

  await messaging.service.call(providerPauses.resume, operator, { name: 'http' });
  await expect(list()).resolves.toMatchObject([{ id, state: 'active' }, { id: 'default' }]);
});

it('names the pause of its own workspace before one of all, and whether the provider is enabled below it', async () => {
  const { id } = await messaging.configure(context, { enabled: false });
  const operator = { ...contextOf(SYSTEM_WORKSPACE_ID), actor: { type: 'operator', id: 'anna' } } as const;
  const byBo = { ...context, actor: { type: 'operator', id: 'bo' } } as const;
  await messaging.service.call(providerPauses.pause, byBo, { name: id });
  await messaging.service.call(providerPauses.pause, operator, { name: 'http' });

  const paused = { id, state: 'paused', enabled: false, paused_by: 'bo', paused_name: id, paused_in_all: false };
  await expect(list()).resolves.toMatchObject([paused, { id: 'default' }]);

  await messaging.service.call(providerPauses.resume, operator, { name: 'http' });
});

it('says until when an open breaker admits no call', async () => {
  const { id } = await messaging.configure(context);
  const circuit = { workspaceId: context.workspaceId, id, version: 1, provider: 'http' };
  const outage = { kind: 'retry', error: 'unavailable', outage: true, retryAfterMs: 3_600_000 } as const;
  const breakers = messaging.service.get<Breakers>(Breakers);

  // The event of the configuration closes its breaker once.
  const found = await waitUntil(
    async () => {
      for (let call = 0; call < FAILURES_ENOUGH; call += 1) breakers.record(circuit, outage, `message ${call}`);
      const [shown] = await list();
      return shown!.breaker === 'open' ? shown! : undefined;
    },
    { what: 'the open breaker' },
  );

  expect(found).toMatchObject({ id, state: 'active' });
  expect(found.open_until).toBeGreaterThan(Date.now());
});

describeWorkspaceIsolation('the health of a provider', {
  arrange: async (owner) => void (await messaging.configure(owner)),
  read: (owner) => list(owner),
  attempts: { list: { attempt: (stranger) => list(stranger) } },
});
