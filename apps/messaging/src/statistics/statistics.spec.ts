import { MINUTE_MS } from '@tidings/contracts/core/duration';
import '@tidings/testing/quiet';
import { randomUUID } from 'node:crypto';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { providerHealth } from '@tidings/contracts/messaging/provider-health';
import { providers } from '@tidings/contracts/messaging/providers';
import { type SeriesPoint, statistics } from '@tidings/contracts/messaging/statistics';
import { Database } from '@tidings/persistence/database';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import { waitUntil } from '@tidings/testing/wait-until';
import { Messaging } from '../testing/start-messaging';
import { MessageCounts, removeOldCounts } from './message-counts';
import { ProviderCounts } from './provider-counts';

let messaging: Messaging;
beforeAll(async () => {
  messaging = await Messaging.create();
  await messaging.start();
});
afterAll(() => messaging.end());

const counts = () => messaging.get<MessageCounts>(MessageCounts);
const database = () => messaging.get<Database>(Database);
const contextOf = (workspaceId: string) => ({ ...messaging.context, workspaceId });
async function series(request: object = {}, workspaceId = messaging.workspaceId): Promise<SeriesPoint[]> {
  await counts().flush();
  return (await messaging.call(statistics.series, request, contextOf(workspaceId))).points;
}
const sumOf = (points: readonly SeriesPoint[], field: 'accepted' | 'delivered' | 'failed') =>
  points.reduce((sum, point) => sum + point[field], 0);

it('counts accepted, delivered and failed messages, each once', async () => {
  const ended = await messaging.send(
    {},
    { delay: { untilMs: Date.now() + 100 } },
    { profile: {}, routing: { method: 'single', channels: ['email'] } },
    { content: undefined, template: 'absent' },
    { mode: 'test' },
  );
  for (const [index, status] of ['DELIVERED', 'DELIVERED', 'UNROUTABLE', 'UNMAPPED', 'SIMULATED'].entries())
    await messaging.waitForStatus(ended[index]!, status);

  const points = await waitUntil(
    async () => {
      const found = await series();
      return sumOf(found, 'delivered') >= 2 ? found : undefined;
    },
    { what: 'the counts' },
  );

  expect([sumOf(points, 'accepted'), sumOf(points, 'delivered'), sumOf(points, 'failed')]).toEqual([5, 2, 2]);
  expect(points).toHaveLength(60);
  const [delivered] = points.filter((point) => point.delivered > 0);
  expect(delivered!.latency_p50_ms).toBeGreaterThan(0);
  expect(delivered!.latency_p99_ms).toBeGreaterThanOrEqual(delivered!.latency_p50_ms!);
  expect(sumOf(await series({}, randomUUID()), 'accepted')).toBe(0);
});

it('counts the calls of a provider, and those that failed', async () => {
  const receiver = await CapturingHttp.start();
  const settings = { channel: 'sms', secret: 'a secret of some length', url: receiver.url };
  const { id } = await messaging.call(providers.create, { provider: 'http', settings });
  const toPhone: Partial<MessageRequested> = { profile: { phone_number: '+49151' }, routing: { method: 'single', channels: ['sms'] } };
  for (const [status, end] of [
    [200, 'SENT'],
    [400, 'UNDELIVERABLE'],
  ] as const) {
    receiver.answer(status);
    const [message] = await messaging.send(toPhone);
    await messaging.waitForStatus(message!, end);
  }
  await receiver.stop();

  await messaging.get<ProviderCounts>(ProviderCounts).flush();

  const { results } = await messaging.call(providerHealth.list, {});
  expect(results.find((one) => one.id === id)).toMatchObject({ calls: 2, calls_failed: 1, call_p99_ms: expect.any(Number) as number });
});

it('adds the counts of several processes, and sums them up by step', async () => {
  const workspaceId = randomUUID();
  const begin = Date.UTC(2026, 0, 1);
  const replica = await messaging.replica();
  for (const process of [counts(), replica.get<MessageCounts>(MessageCounts)]) {
    process.countAccepted(workspaceId, begin);
    process.countChange({ workspaceId, before: 'ROUTED', after: 'DELIVERED', atMs: begin + MINUTE_MS, sinceMs: begin + MINUTE_MS - 1_000 });
    process.countChange({ workspaceId, before: 'DELIVERED', after: 'OPENED', atMs: begin + MINUTE_MS, sinceMs: begin });
    process.countChange({ workspaceId, before: 'DELIVERED', after: 'UNDELIVERABLE', atMs: begin + 2 * MINUTE_MS, sinceMs: begin });
    await process.flush();
  }
  await replica.stop();

  const points = await series({ from: begin, to: begin + 4 * MINUTE_MS, step: 120 }, workspaceId);

  expect(points).toMatchObject([
    { at: begin, accepted: 2, delivered: 2, failed: 0 },
    { at: begin + 2 * MINUTE_MS, accepted: 0, delivered: 0, failed: 2 },
  ]);
  expect(Math.abs(points[0]!.latency_p99_ms! - 1_000)).toBeLessThanOrEqual(200);
  expect(points[1]).not.toHaveProperty('latency_p50_ms');
});

it('keeps counts while the database is unavailable', async () => {
  const workspaceId = randomUUID();
  await messaging.withoutDatabase(async () => {
    counts().countAccepted(workspaceId, Date.now());
    await counts().flush();
  });
  const accepted = async () => sumOf(await series({}, workspaceId), 'accepted');
  await waitUntil(async () => (await accepted().catch(() => 0)) === 1, { what: 'the count', timeoutMs: 30_000 });
});

it('removes counts after 30 days', async () => {
  const workspaceId = randomUUID();
  const now = Date.now();
  for (const days of [31, 29]) counts().countAccepted(workspaceId, now - days * 86_400_000);
  await counts().flush();

  await removeOldCounts(database(), now, () => false);

  const points = await series({ from: now - 32 * 86_400_000, step: 86_400 }, workspaceId);
  expect(sumOf(points, 'accepted')).toBe(1);
});

it.each([
  [{ step: 90 }, 'step must be a multiple of 60 seconds'],
  [{ from: 0 }, 'points; at most 1500 are answered'],
  [{ from: Date.now(), to: 0 }, 'from must be before to'],
  [{ to: Number.MAX_SAFE_INTEGER, from: Number.MAX_SAFE_INTEGER - MINUTE_MS }, 'to must be before'],
  [{ step: 0 }, 'step'],
])('refuses %j', async (request, message) => {
  await expect(series(request)).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining(message) as string });
});
