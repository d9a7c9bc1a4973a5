import type { Outcome } from '@tidings/providers/provider';
import type { ProviderConfigurationChanged } from '@tidings/contracts/messaging/providers';
import type { BroadcastHandler } from '@tidings/events/event-log';
import { metrics } from '@tidings/runtime/metrics';
import { Breaker, Breakers } from './breakers';
import type { ProviderChanges } from './provider-configurations';

type Change = Parameters<BroadcastHandler<ProviderConfigurationChanged>>[0];

const RETRY: Outcome = { kind: 'retry', error: 'unavailable', outage: true };
const DEFERRED: Outcome = { kind: 'retry', error: 'greylisted' };
const NO_ANSWER: Outcome = { kind: 'retry', error: 'no answer', hung: true };
const ACCEPTED: Outcome = { kind: 'accepted', reference: {}, delivered: true };
const failed = (cause: 'permanent' | 'configuration' | 'recipient' | 'token'): Outcome => ({
  kind: 'failed',
  error: 'no',
  cause,
  reason: 'PROVIDER_ERROR',
});

let now = 0;
const make = () => new Breaker({ failuresMax: 3, openMs: 1_000, openMsMax: 8_000, probeMs: 30_000, now: () => now });
const record = (breaker: Breaker, ...outcomes: Outcome[]) =>
  outcomes.forEach((outcome, call) => breaker.record(outcome, `message ${call}`));
const waitOf = (breaker: Breaker) => breaker.admit();
beforeEach(() => (now = 0));
afterEach(() => jest.restoreAllMocks());

it.each([
  ['outages', [RETRY, RETRY, RETRY], 'open'],
  ['deferred recipients', [DEFERRED, DEFERRED, DEFERRED, DEFERRED], 'closed'],
  ['a deferred recipient between failures', [RETRY, RETRY, DEFERRED, RETRY, RETRY], 'closed'],
  ['a wrong configuration', [failed('configuration'), RETRY, failed('configuration')], 'open'],
  ['no answer for several messages', [NO_ANSWER, RETRY, NO_ANSWER], 'open'],
  ['fewer failures', [RETRY, RETRY], 'closed'],
  ['a success between failures', [RETRY, RETRY, ACCEPTED, RETRY, RETRY], 'closed'],
  ['a refused message between failures', [RETRY, RETRY, failed('permanent'), RETRY, RETRY], 'closed'],
  ['refused addresses and tokens', [failed('recipient'), failed('token'), failed('recipient'), failed('token')], 'closed'],
] as const)('has the expected state after %s', (_case, outcomes, state) => {
  const breaker = make();

  record(breaker, ...outcomes);

  expect(breaker.state).toBe(state);
  expect(waitOf(breaker)).toBe(state === 'open' ? 1_000 : 0);
});

it('admits one probe after its open time, and closes when the probe succeeds', () => {
  const breaker = make();
  record(breaker, RETRY, RETRY, RETRY);

  now = 999;
  expect(waitOf(breaker)).toBe(1);
  now = 1_000;
  expect(breaker.state).toBe('half-open');
  expect(waitOf(breaker)).toBe(0);
  expect(waitOf(breaker)).toBe(30_000); // the probe is in progress
  expect(breaker.state).toBe('half-open');
  record(breaker, ACCEPTED);

  expect(breaker.state).toBe('closed');
  record(breaker, RETRY, RETRY);
  expect(breaker.state).toBe('closed');
});

it('doubles its open time after each failed probe up to the maximum, and starts again after a success', () => {
  const breaker = make();
  record(breaker, RETRY, RETRY, RETRY);
  const waits = [];
  for (let probe = 0; probe < 5; probe += 1) {
    const waitMs = waitOf(breaker);
    waits.push(waitMs);
    now += waitMs;
    expect(waitOf(breaker)).toBe(0);
    record(breaker, RETRY);
  }
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 8_000]);

  now += 8_000;
  breaker.admit();
  record(breaker, ACCEPTED, RETRY, RETRY, RETRY);
  expect(waitOf(breaker)).toBe(1_000);
});

it('stays open for the Retry-After of the receiver', () => {
  const breaker = make();

  record(breaker, RETRY, RETRY, { ...RETRY, retryAfterMs: 20_000 });

  expect(waitOf(breaker)).toBe(20_000);
});

it('ignores failures of calls that were open when it opened, and closes when one of them succeeds', () => {
  const breaker = make();
  record(breaker, RETRY, RETRY, RETRY);
  now = 900;
  record(breaker, RETRY, RETRY);
  expect(waitOf(breaker)).toBe(100);

  record(breaker, ACCEPTED);
  expect(breaker.state).toBe('closed');
});

it('counts a message without an answer once, until it is open', () => {
  const breaker = make();
  for (let attempt = 0; attempt < 10; attempt += 1) breaker.record(NO_ANSWER, 'the same');
  expect(breaker.state).toBe('closed');

  breaker.record(NO_ANSWER, 'another');
  breaker.record(NO_ANSWER, 'a third');
  expect(breaker.state).toBe('open');

  now = 1_000;
  breaker.admit();
  breaker.record(NO_ANSWER, 'the same');
  expect(waitOf(breaker)).toBe(2_000);
});

it('admits another probe when one has no outcome', () => {
  const breaker = make();
  record(breaker, RETRY, RETRY, RETRY);
  now = 1_000;
  breaker.admit();

  now = 31_000;

  expect(waitOf(breaker)).toBe(0);
});

it('is separate for each configuration and version, with a metric of the openings', async () => {
  const listeners: BroadcastHandler<ProviderConfigurationChanged>[] = [];
  const changes: Pick<ProviderChanges, 'onChange'> = { onChange: (listener) => void listeners.push(listener) };
  const breakers = new Breakers(changes as ProviderChanges);
  const change = (id: string) => listeners.forEach((listener) => listener({ payload: { workspaceId: 'a', id } } as Change));
  const one = { workspaceId: 'a', id: 'one', provider: 'http' };
  const openings = async () =>
    /tidings_provider_breaker_openings_total\{provider="http"\} (\d+)/.exec(await metrics.registry.metrics())?.[1];
  const before = Number((await openings()) ?? 0);
  jest.spyOn(performance, 'now').mockReturnValue(0); // open breakers stay open

  for (let call = 0; call < 12; call += 1) breakers.record(one, RETRY, `message ${call}`);

  expect(breakers.admit(one)).toBeGreaterThan(0);
  expect(breakers.admit({ ...one, id: 'two' })).toBe(0);
  expect(breakers.admit({ ...one, workspaceId: 'b' })).toBe(0);
  expect(breakers.admit({ ...one, version: 2 })).toBe(0); // changed configuration
  expect(breakers.stateOf(one)).toMatchObject({ state: 'open' });
  expect(breakers.stateOf({ ...one, id: 'three' })).toEqual({ state: 'closed', openForMs: 0 });
  expect(Number(await openings())).toBe(before + 1);
  await expect(metrics.registry.getSingleMetricAsString('tidings_provider_breakers_open')).resolves.toContain('{provider="http"} 1');

  // A default configuration has no version: the event of a retry on demand closes its breaker.
  change('two');
  expect(breakers.admit(one)).toBeGreaterThan(0);
  change('one');
  expect(breakers.admit(one)).toBe(0);
});
