import { waitUntil } from '@tidings/testing/wait-until';
import { FaultyWorld } from './faulty-world';
import { readHistoryTopic } from './history-topic';
import { mapSome } from './map-some';
import type { StoredMessage } from './messaging-tables';
import { ReadLoad } from './read-load';
import { report } from './report';
import { type Sent, SendLoad } from './send-load';
import { sharedWorld } from './shared-world';

const SEND_EVERY_MS = 40;
const READ_EVERY_MS = 40;
const ACCEPTED_BEFORE = 50;
/** Answered in a row, of each kind, before the product counts as recovered. */
const GOOD_IN_A_ROW = 20;
/** Within which a request is answered. */
const DEADLINE_MS = 10_000;
/** No answer takes longer, and no request fails that is begun so long after the fault's end: the deadline, and once more for a machine that others use. */
const ANSWER_MS_MAX = 2 * DEADLINE_MS;
const RECOVERY_MS_MAX = 2 * DEADLINE_MS;
/** Guards against hanging. */
const WAIT_MS_MAX = 120_000;
const DELIVERY_MS_MAX = 180_000;
const LOOK_MS = 250;
/** Of so many messages the history of one is compared word by word with the interface. */
const SAMPLE_EVERY = 20;

export interface Faulty extends Pick<FaultyWorld, 'system' | 'kafka'> {
  /** Attempts open now: what a messaging process leaves that stands still and is about to be killed. */
  noteOpen(): Promise<void>;
  /** Attempts found open by a messaging process that is about to be ended in order; its numbers end with it. */
  noteRecovered(): Promise<void>;
}

export interface FaultOptions {
  /** Requests may end without any answer: the gateway itself is ended. */
  mayLose?: boolean;
}

/** Tells a story, see `story`. */
export type ThroughFault = (name: string, fault: (faulty: Faulty) => Promise<void>, options?: FaultOptions) => Promise<void>;

/** The stories of one `describe`, which share a product and its brokers. */
export function faultScenarios({ brokers = 1 }: { brokers?: 1 | 3 } = {}): ThroughFault {
  const inWorld = sharedWorld(() => FaultyWorld.start(brokers));
  return (...parameters) => inWorld((world) => story(world, ...parameters));
}

/**
 * The product in five processes under a load of sends and reads, while something happens to it. Whatever it is: what was
 * accepted is delivered, no second copy without an attempt that was open, the topic tells what the database tells, every request
 * was answered in bounded time, with the error body where it failed, and the product recovered by itself.
 */
async function story(world: FaultyWorld, ...[name, fault, options = {}]: Parameters<ThroughFault>): Promise<void> {
  const { system, kafka } = world;
  await world.inSync();
  const before = { recovered: await world.recovered(), secondCopies: world.secondCopies };
  const sends = new SendLoad(system.client, 'fault');
  const reads = new ReadLoad(system.client, world.profile);
  const recoveredBy = new Map<number, number>();
  const openAtKills = new Set<string>();
  const noteOpen = async (): Promise<void> => (await world.openAttempts()).forEach((attempt) => openAtKills.add(attempt));
  const noteRecovered = async (): Promise<void> => {
    for (const [pid, value] of await world.recovered()) recoveredBy.set(pid, value - (before.recovered.get(pid) ?? 0));
  };

  const end = new AbortController();
  const loaded = Promise.all([sends.trickle(SEND_EVERY_MS, end.signal), reads.trickle(READ_EVERY_MS, end.signal)]);
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
    end.abort();
  }
  await loaded;

  const ids = sends.accepted.map(({ id }) => id);
  const stored = await everythingOver(world, ids);
  await noteRecovered();
  const recovered = [...recoveredBy.values()].reduce((sum, value) => sum + value, 0);
  // Who is killed may have found one open in the same moment, untold.
  const open = Math.max(recovered, openAtKills.size);
  const secondCopies = world.secondCopies - before.secondCopies;
  const topic = await readHistoryTopic(kafka.brokers, system.topicPrefix, ({ events }) =>
    ids.every((id) => (events.get(id)?.length ?? 0) >= stored.get(id)!.number),
  );
  const slowest = Math.max(...[...sends.sent, ...reads.reads].map(({ begunAt, endedAt: at }) => at - begunAt));
  report(
    `${name}: sends ${JSON.stringify(sends.tally)}, reads ${JSON.stringify(reads.tally)}, slowest answer ${Math.round(slowest)} ms, ` +
      `last failure ${Math.round(recoveryMs)} ms after the fault's end, delivered ${ids.length}, attempts found open ${recovered}, open at kills ${openAtKills.size}, ` +
      `second copies ${secondCopies}, records repeated on the topic so far ${topic.repeated}`,
  );

  expect(recoveryMs).toBeLessThanOrEqual(RECOVERY_MS_MAX);
  expect(slowest).toBeLessThanOrEqual(ANSWER_MS_MAX);
  expect(ids.filter((id) => stored.get(id)!.record.status !== 'DELIVERED')).toEqual([]);
  expect(secondCopies).toBeLessThanOrEqual(open);
  expect(topic.gaps).toEqual([]);
  for (const id of ids) expect(topic.events.get(id)!.map(({ type }) => type)).toEqual(stored.get(id)!.types);
  await mapSome(
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

/** What the database has of messages once nothing is under way any more and each of `ids` is there. */
function everythingOver({ tables }: FaultyWorld, ids: readonly string[]): Promise<ReadonlyMap<string, StoredMessage>> {
  const over = async (): Promise<ReadonlyMap<string, StoredMessage> | undefined> => {
    const messages = await tables.finished(ids);
    return messages && new Map(messages.map((message) => [message.id, message]));
  };
  return waitUntil(over, { what: 'the end of what was accepted', timeoutMs: DELIVERY_MS_MAX, intervalMs: LOOK_MS });
}

type Outcome = Pick<Sent, 'status' | 'begunAt' | 'endedAt'>;

/** Whether the last answers, all to requests begun after `since`, are good. */
function isGoodSince(outcomes: readonly Outcome[], good: number, since: number): boolean {
  const last = outcomes.slice(-GOOD_IN_A_ROW);
  return last.length === GOOD_IN_A_ROW && last.every(({ status, begunAt }) => status === good && begunAt > since);
}

/** When the last request that failed was begun; `since` when none did afterwards. */
function lastFailure(outcomes: readonly Outcome[], since: number): number {
  return Math.max(since, ...outcomes.filter(({ status }) => status !== 200 && status !== 202).map(({ begunAt }) => begunAt));
}
