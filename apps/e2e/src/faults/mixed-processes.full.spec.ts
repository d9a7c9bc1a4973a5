import { sharedTestKafka } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { readHistoryTopic } from '../testing/history-topic';
import { mapConcurrently } from '../testing/map-concurrently';
import type { StoredMessage, Unfinished } from '../testing/messaging-tables';
import { allFinished, expectAsAccepted } from '../testing/mixed-outcome';
import { untilHalfway, type MixedFixture, startMixedFixture } from '../testing/mixed-fixture';
import { RECOVERED } from '../testing/fault-fixture';
import { report } from '../testing/report';
import { readStatusTopic } from '../testing/status-topic';
import { withTeardown } from '../testing/tear-down';

jest.setTimeout(900_000);

/** More subscribers than messages of a list may wait at a time; see `untilHalfway`. */
const SIZES = { subscribers: 2_500, jobUsers: 500 };
/** Shares of delivered mails at which a service is killed; the first kill is during the expansion of the list. */
const STORM = [
  [0, 'messaging'],
  [0.1, 'audience'],
  [0.15, 'identity'],
  [0.25, 'messaging'],
  [0.35, 'content'],
  [0.4, 'identity'],
  [0.5, 'messaging'],
] as const;
/** One in so many messages is compared in full. */
const SAMPLE_EVERY = 20;
/** Guard against a test that does not end. */
const PROGRESS_MS_MAX = 300_000;

it('a list, a bulk job, delayed sends and failovers survive seven kill -9, and the topics equal the database', () =>
  withTeardown(async (teardown) => {
    const { brokers } = await sharedTestKafka();
    const fixture = await startMixedFixture(teardown, 'kafka', SIZES);
    const { system, work, tables } = fixture;
    const stop = new AbortController();
    teardown.add('the load', () => stop.abort());
    const openAtKills = new Set<string>();
    const recoveredBy = new Map<number, number>();
    const noteRecovered = async (): Promise<void> =>
      (await system.metricOf('messaging', RECOVERED)).forEach((value, pid) => recoveredBy.set(pid, value));
    const unfinished: Unfinished[] = [];

    const startedAt = performance.now();
    const loaded = work.run(stop.signal);
    unfinished.push(await untilHalfway(fixture));
    for (const [part, name] of STORM) {
      await waitUntil(() => work.progress >= part, { what: `${part} of the mails`, timeoutMs: PROGRESS_MS_MAX });
      unfinished.push(await tables.unfinished());
      const noteOpen = async (): Promise<void> => (await tables.openAttempts()).forEach((attempt) => openAtKills.add(attempt));
      if (name === 'messaging') await noteRecovered();
      await system.killProcess(name, name === 'messaging' ? noteOpen : undefined);
    }
    const stormMs = performance.now() - startedAt;
    stop.abort();
    await loaded;
    const messages = await allFinished(fixture);
    await noteRecovered();
    const recovered = [...recoveredBy.values()].reduce((sum, value) => sum + value, 0);
    const finishedMs = performance.now() - startedAt;
    const repeated = await expectTopicsMatch(fixture, messages, brokers);
    report(
      `storm of ${STORM.length} kill -9 during mixed work, ${Math.round(stormMs)} ms: sends ${work.tally}, ` +
        `unfinished at the kills ${JSON.stringify(unfinished)}, all ${messages.length} messages finished after ${Math.round(finishedMs)} ms, attempts open at the kills ${openAtKills.size}, found ${recovered}, ` +
        `second copies ${work.secondCopies}, records repeated on the history topic ${repeated}`,
    );

    await expectAsAccepted(fixture, messages);
    expect(openAtKills.size).toBeGreaterThan(0);
    // Of messages that were not stored yet only the process that ended knew the attempts.
    expect(work.secondCopies).toBeLessThanOrEqual(Math.max(recovered, openAtKills.size));
  }));

/**
 * Expects both topics to have exactly the stored messages, with equal histories and records; a sample is compared with the HTTP
 * interface in full. Resolves with the number of repeated history records.
 */
async function expectTopicsMatch(
  { system, client }: MixedFixture,
  stored: readonly StoredMessage[],
  brokers: readonly string[],
): Promise<number> {
  const history = await readHistoryTopic(brokers, system.topicPrefix, ({ events }) =>
    stored.every(({ id, number }) => (events.get(id)?.length ?? 0) >= number),
  );
  const statuses = await readStatusTopic(brokers, system.topicPrefix, (published) =>
    stored.every(({ id, number }) => (published.get(id)?.number ?? 0) >= number),
  );

  expect(history.gaps).toEqual([]);
  const ids = stored.map(({ id }) => id);
  expect([...history.events.keys()].sort()).toEqual(ids);
  expect([...statuses.keys()].sort()).toEqual(ids);
  for (const { id, number, types, record } of stored) {
    expect(history.events.get(id)!.map(({ type }) => type)).toEqual(types);
    expect(types).toHaveLength(number);
    expect(statuses.get(id)).toMatchObject({ number, message: record });
  }
  await mapConcurrently(
    ids.filter((_, index) => index % SAMPLE_EVERY === 0),
    async (id) => {
      expect(history.events.get(id)).toEqual(await client.history(id));
      expect(statuses.get(id)!.message).toEqual(await client.message(id));
    },
  );
  return history.repeated;
}
