import { waitUntil } from '@tidings/testing/wait-until';
import { FaultFixture } from './fault-fixture';
import { readHistoryTopic } from './history-topic';
import { mapConcurrently } from './map-concurrently';
import { ReadLoad } from './read-load';
import { report } from './report';
import { type Sent, SendLoad } from './send-load';
import { sharedFixture } from './shared-fixture';

const SEND_EVERY_MS = 40;
const READ_EVERY_MS = 40;
const ACCEPTED_BEFORE = 50;
/** Successful answers in a row, of sends and of reads, that count as recovery. */
const GOOD_IN_A_ROW = 20;
/** Deadline of a request. */
const DEADLINE_MS = 10_000;
/** Bound on answers and on failures after the fault: twice the deadline, since other suites load the machine. */
const ANSWER_MS_MAX = 2 * DEADLINE_MS;
const RECOVERY_MS_MAX = 2 * DEADLINE_MS;
/** Guards against a test that does not end. */
const WAIT_MS_MAX = 120_000;
const DELIVERY_MS_MAX = 180_000;
/** The history of one in so many messages is compared with the HTTP interface in full. */
const SAMPLE_EVERY = 20;

export interface Faulty extends Pick<FaultFixture, 'system' | 'kafka'> {
  /** Records the open attempts of a stopped messaging process before its kill. */
  noteOpen(): Promise<void>;
  /** Records the recovered attempts of a messaging process before its orderly end, which ends its metrics. */
  noteRecovered(): Promise<void>;
}

export interface FaultOptions {
  /** Requests may end without an answer, since the gateway itself is killed. */
  mayLose?: boolean;
}

/** Runs a scenario, see `runScenario`. */
export type ThroughFault = (name: string, fault: (faulty: Faulty) => Promise<void>, options?: FaultOptions) => Promise<void>;

/** Scenarios of one `describe`; they share a product and its brokers. */
export function faultScenarios({ brokers = 1 }: { brokers?: 1 | 3 } = {}): ThroughFault {
  const withFixture = sharedFixture(() => FaultFixture.start(brokers));
  return (...parameters) => withFixture((fixture) => runScenario(fixture, ...parameters));
}

/**
 * Injects a fault into five processes under a load of sends and reads. Expects: accepted messages are delivered; second copies
 * are at most as many as open attempts; the topic equals the database; every request is answered in bounded time, failures with
 * the error body; the product recovers by itself.
 */
async function runScenario(fixture: FaultFixture, ...[name, fault, options = {}]: Parameters<ThroughFault>): Promise<void> {
  const { system, kafka } = fixture;
  await fixture.inSync();
  const before = { recovered: await fixture.recovered(), secondCopies: fixture.secondCopies };
  const sends = new SendLoad(system.client, 'fault');
  const reads = new ReadLoad(system.client, fixture.profile);
  const recoveredBy = new Map<number, number>();
  const openAtKills = new Set<string>();
  const noteOpen = async (): Promise<void> => (await fixture.openAttempts()).forEach((attempt) => openAtKills.add(attempt));
  const noteRecovered = async (): Promise<void> => {
    for (const [pid, value] of await fixture.recovered()) recoveredBy.set(pid, value - (before.recovered.get(pid) ?? 0));
  };

  const stop = new AbortController();
  const loaded = Promise.all([sends.trickle(SEND_EVERY_MS, stop.signal), reads.trickle(READ_EVERY_MS, stop.signal)]);
  let recoveryMs: number;
  try {
    await waitUntil(() => sends.accepted.length >= ACCEPTED_BEFORE, { what: 'sends before the fault', timeoutMs: WAIT_MS_MAX });
    await fault({ system, kafka, noteOpen, noteRecovered });
    const endedAt = performance.now();
    await waitUntil(() => isGoodSince(sends.sent, 202, endedAt) && isGoodSince(reads.reads, 200, endedAt), {
      what: 'sends and reads that succeed again',
      timeoutMs: WAIT_MS_MAX,
    });
    recoveryMs = lastFailure([...sends.sent, ...reads.reads], endedAt) - endedAt;
  } finally {
    stop.abort();
  }
  await loaded;

  const ids = sends.accepted.map(({ id }) => id);
  const messages = await fixture.tables.untilFinished(ids, DELIVERY_MS_MAX);
  const stored = new Map(messages.map((message) => [message.id, message]));
  await noteRecovered();
  const recovered = [...recoveredBy.values()].reduce((sum, value) => sum + value, 0);
  // A killed process may have recovered an attempt without reporting it.
  const open = Math.max(recovered, openAtKills.size);
  const secondCopies = fixture.secondCopies - before.secondCopies;
  const topic = await readHistoryTopic(kafka.brokers, system.topicPrefix, ({ events }) =>
    ids.every((id) => (events.get(id)?.length ?? 0) >= stored.get(id)!.number),
  );
  const slow = [...sends.sent, ...reads.reads].sort((one, other) => durationOf(other) - durationOf(one))[0]!;
  const slowest = durationOf(slow);
  report(
    `${name}: sends ${JSON.stringify(sends.tally)}, reads ${JSON.stringify(reads.tally)}, slowest answer: ${'email' in slow ? 'send' : 'read'} ${slow.status} after ${Math.round(slowest)} ms, ` +
      `last failure ${Math.round(recoveryMs)} ms after the fault's end, delivered ${ids.length}, attempts found open ${recovered}, open at kills ${openAtKills.size}, ` +
      `second copies ${secondCopies}, records repeated on the topic so far ${topic.repeated}`,
  );

  expect(recoveryMs).toBeLessThanOrEqual(RECOVERY_MS_MAX);
  expect(slowest).toBeLessThanOrEqual(ANSWER_MS_MAX);
  expect(ids.filter((id) => stored.get(id)!.record.status !== 'DELIVERED')).toEqual([]);
  expect(secondCopies).toBeLessThanOrEqual(open);
  expect(topic.gaps).toEqual([]);
  for (const id of ids) expect(topic.events.get(id)!.map(({ type }) => type)).toEqual(stored.get(id)!.types);
  await mapConcurrently(
    ids.filter((_, index) => index % SAMPLE_EVERY === 0),
    async (id) => expect(topic.events.get(id)).toEqual(await system.client.history(id)),
  );
  const failed = [...sends.sent.filter(({ status }) => status !== 202), ...reads.reads.filter(({ status }) => status !== 200)];
  for (const { status, error } of failed) {
    if (status === 'lost' && options.mayLose) continue;
    expect([503, 504]).toContain(status);
    expect(error).toEqual({ message: expect.stringMatching(/\w/) as string, type: 'internal_error' });
  }
}

type Outcome = Pick<Sent, 'status' | 'startedAt' | 'endedAt'>;

const durationOf = ({ startedAt, endedAt }: Outcome) => endedAt - startedAt;

/** Whether the last answers succeeded, all to requests started after `since`. */
function isGoodSince(outcomes: readonly Outcome[], good: number, since: number): boolean {
  const last = outcomes.slice(-GOOD_IN_A_ROW);
  return last.length === GOOD_IN_A_ROW && last.every(({ status, startedAt }) => status === good && startedAt > since);
}

/** Start of the last failed request; `since` when none failed later. */
function lastFailure(outcomes: readonly Outcome[], since: number): number {
  return Math.max(since, ...outcomes.filter(({ status }) => status !== 200 && status !== 202).map(({ startedAt }) => startedAt));
}
