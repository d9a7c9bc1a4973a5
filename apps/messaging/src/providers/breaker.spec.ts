import type { Outcome } from '@tidings/providers/provider';
import { metrics } from '@tidings/runtime/metrics';
import { Breaker } from './breaker';
import { Breakers } from './breakers';

const RETRY: Outcome = { kind: 'retry', error: 'away', outage: true };
const PUT_OFF: Outcome = { kind: 'retry', error: 'greylisted' };
const HUNG: Outcome = { kind: 'retry', error: 'no answer', hung: true };
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
const waitOf = (breaker: Breaker) => {
  const admission = breaker.admit();
  return admission.admitted ? 0 : admission.retryAfterMs;
};
beforeEach(() => (now = 0));
afterEach(() => jest.restoreAllMocks());

it.each([
  ['outages', [RETRY, RETRY, RETRY], 'open'],
  ['recipients that are put off', [PUT_OFF, PUT_OFF, PUT_OFF, PUT_OFF], 'closed'],
  ['a recipient that is put off between them', [RETRY, RETRY, PUT_OFF, RETRY, RETRY], 'closed'],
  ['a wrong configuration', [failed('configuration'), RETRY, failed('configuration')], 'open'],
  ['hanging over one message after the other', [HUNG, RETRY, HUNG], 'open'],
  ['fewer failures', [RETRY, RETRY], 'closed'],
  ['a success between them', [RETRY, RETRY, ACCEPTED, RETRY, RETRY], 'closed'],
  ['a refused message between them', [RETRY, RETRY, failed('permanent'), RETRY, RETRY], 'closed'],
  ['refused addresses and tokens', [failed('recipient'), failed('token'), failed('recipient'), failed('token')], 'closed'],
] as const)('after %s it is as it should be', (_what, outcomes, state) => {
  const breaker = make();

  record(breaker, ...outcomes);

  expect(breaker.state).toBe(state);
  expect(waitOf(breaker)).toBe(state === 'open' ? 1_000 : 0);
});

it('lets one probe through when its time is over, and closes when that is well', () => {
  const breaker = make();
  record(breaker, RETRY, RETRY, RETRY);

  now = 999;
  expect(waitOf(breaker)).toBe(1);
  now = 1_000;
  expect(breaker.state).toBe('half-open');
  expect(waitOf(breaker)).toBe(0);
  expect(waitOf(breaker)).toBe(30_000); // the probe is under way
  expect(breaker.state).toBe('half-open');
  record(breaker, ACCEPTED);

  expect(breaker.state).toBe('closed');
  record(breaker, RETRY, RETRY);
  expect(breaker.state).toBe('closed');
});

it('waits twice as long after each probe that failed, up to its bound, and from the beginning after a success', () => {
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

it('stays open as long as the receiver asks', () => {
  const breaker = make();

  record(breaker, RETRY, RETRY, { ...RETRY, retryAfterMs: 20_000 });

  expect(waitOf(breaker)).toBe(20_000);
});

it('is not kept open by calls that were under way when it opened, and is closed by one that succeeds', () => {
  const breaker = make();
  record(breaker, RETRY, RETRY, RETRY);
  now = 900;
  record(breaker, RETRY, RETRY);
  expect(waitOf(breaker)).toBe(100);

  record(breaker, ACCEPTED);
  expect(breaker.state).toBe('closed');
});

it('is not opened by one message over which the receiver hangs however often, nor closed by it', () => {
  const breaker = make();
  for (let attempt = 0; attempt < 10; attempt += 1) breaker.record(HUNG, 'the same');
  expect(breaker.state).toBe('closed');

  breaker.record(HUNG, 'another');
  breaker.record(HUNG, 'a third');
  expect(breaker.state).toBe('open');

  now = 1_000;
  breaker.admit();
  breaker.record(HUNG, 'the same');
  expect(waitOf(breaker)).toBe(2_000);
});

it('a probe that is never heard of is replaced', () => {
  const breaker = make();
  record(breaker, RETRY, RETRY, RETRY);
  now = 1_000;
  breaker.admit();

  now = 31_000;

  expect(waitOf(breaker)).toBe(0);
});

it('each configuration has its own, and their openings are counted', async () => {
  const breakers = new Breakers();
  const one = { workspaceId: 'a', id: 'one', provider: 'http' };
  const openings = async () =>
    /tidings_provider_breaker_openings_total\{provider="http"\} (\d+)/.exec(await metrics.registry.metrics())?.[1];
  const before = Number((await openings()) ?? 0);
  jest.spyOn(performance, 'now').mockReturnValue(0); // what is open stays so

  for (let call = 0; call < 12; call += 1) breakers.record(one, RETRY, `message ${call}`);

  expect(breakers.admit(one)).toMatchObject({ admitted: false });
  expect(breakers.admit({ ...one, id: 'two' })).toEqual({ admitted: true });
  expect(breakers.admit({ ...one, workspaceId: 'b' })).toEqual({ admitted: true });
  expect(breakers.admit({ ...one, version: 2 })).toEqual({ admitted: true }); // it was mended meanwhile
  expect(Number(await openings())).toBe(before + 1);
});
