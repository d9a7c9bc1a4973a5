import { randomUUID } from 'node:crypto';
import { providers } from '@tidings/contracts/messaging/providers';
import type { RunningService } from '@tidings/runtime/service';
import { contextOf } from '@tidings/testing/context-of';
import { ProvidersUnderTest, SMS_SETTINGS } from '../testing/start-providers';
import { type RatedConfiguration, RateLimiter } from './provider-rate';
import type { RateLimit } from './rate-limit';

const HOUR_MS = 3_600_000;

let messaging: ProvidersUnderTest;
let replica: RunningService;

beforeAll(async () => {
  messaging = await ProvidersUnderTest.start();
  replica = await messaging.replica();
});
afterAll(async () => {
  await replica.stop();
  await messaging.service.stop();
});

const here = () => messaging.service.get<RateLimiter>(RateLimiter);
const there = () => replica.get<RateLimiter>(RateLimiter);

async function limited(rateLimit: RateLimit): Promise<RatedConfiguration> {
  const context = contextOf(randomUUID());
  const { id } = await messaging.configure(context, { settings: { ...SMS_SETTINGS, rate_limit: rateLimit } });
  return { workspaceId: context.workspaceId, id, rateLimit };
}

it('spaces slots evenly, the first now', async () => {
  const configuration = await limited({ rate: 2, period: 'hour' });

  const slots = await here().reserve(configuration, 4);

  expect(slots.map((ms) => Math.round(ms / 1_000))).toEqual([0, 1_800, 3_600, 5_400]);
});

it('keeps the slots that replicas reserve as far apart as the rate requires', async () => {
  const configuration = await limited({ rate: 1, period: 'hour' });
  const reserved = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const startedAt = performance.now();
      const slots = await (index % 2 ? here() : there()).reserve(configuration, 5);
      return slots.map((ms) => startedAt + ms);
    }),
  );

  const slots = reserved.flat().sort((one, other) => one - other);

  const gaps = slots.slice(1).map((slot, index) => slot - slots[index]!);
  expect(slots).toHaveLength(100);
  // The database reads its clock during the call, so slots are exact to the duration of a call.
  for (const gap of gaps) expect(Math.abs(gap - HOUR_MS)).toBeLessThan(HOUR_MS / 10);
  expect(Math.round((slots[99]! - slots[0]!) / HOUR_MS)).toBe(99);
});

it('reserves no slot later than withinMs', async () => {
  const configuration = await limited({ rate: 1, period: 'hour' });

  expect(await here().reserve(configuration, 4, 1.5 * HOUR_MS)).toHaveLength(2);
  expect(await there().reserve(configuration, 4, 1.5 * HOUR_MS)).toEqual([]);

  const [next] = await here().reserve(configuration, 1);
  expect(Math.round(next! / HOUR_MS)).toBe(2);
});

it('does not accumulate idle time', async () => {
  const configuration = await limited({ rate: 1_000, period: 'hour' });
  await here().reserve(configuration, 1);
  const idle = `update provider_rates set next_at = next_at - interval '3 hours' where configuration_id = $1`;
  await messaging.service.sql(idle, [configuration.id]);

  const slots = await here().reserve(configuration, 5_001);

  expect(slots[0]).toBe(0);
  expect(Math.round(slots[5_000]! / HOUR_MS)).toBe(5);
});

it('starts with a free slot after a change of the rate, and delays no call after its removal', async () => {
  const configuration = await limited({ rate: 1, period: 'hour' });
  const { workspaceId, id } = configuration;
  const context = contextOf(workspaceId);
  await here().reserve(configuration, 1_000);
  expect((await here().reserve(configuration, 1))[0]).toBeGreaterThan(3_000_000);

  await messaging.service.call(providers.change, context, { id, settings: { rate_limit: { rate: 2 } } });
  expect((await here().reserve(configuration, 1))[0]).toBeLessThan(1_000);

  await messaging.service.call(providers.remove, context, { id });
  expect(await here().reserve(configuration, 2)).toEqual([0, 0]);
  await expect(messaging.service.sql('select from provider_rates where configuration_id = $1', [id])).resolves.toEqual([]);
});

it('sends no query without a limit', async () => {
  expect(await here().reserve({ workspaceId: 'none', id: 'none' }, 3)).toEqual([0, 0, 0]);
});

it('bounds a very long queue, with finite slots', async () => {
  const configuration = await limited({ rate: 0.001, period: 'hour' });

  for (let batch = 0; batch < 5; batch += 1) {
    const slots = await here().reserve(configuration, 10_000);
    expect(slots).toHaveLength(10_000);
    expect(slots.every((ms, index) => Number.isFinite(ms) && ms >= (slots[index - 1] ?? 0))).toBe(true);
  }
});
