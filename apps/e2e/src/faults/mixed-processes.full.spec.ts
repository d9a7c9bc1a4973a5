import { sharedTestKafka } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { readHistoryTopic } from '../testing/history-topic';
import { mapSome } from '../testing/map-some';
import type { StoredMessage, Unfinished } from '../testing/messaging-tables';
import { everythingOver, expectAsAccepted } from '../testing/mixed-outcome';
import { inTheMidst, type MixedWorld, startMixedWorld } from '../testing/mixed-world';
import { report } from '../testing/report';
import { readStatusTopic } from '../testing/status-topic';
import { tornDown } from '../testing/tear-down';

jest.setTimeout(900_000);

/** More subscribers than messages of a list may wait at a time; see `inTheMidst`. */
const SIZES = { subscribers: 2_500, jobUsers: 500 };
/** Who is killed when such a part of the list and the job has its mail, the first in the midst of the list. */
const STORM = [
  [0, 'messaging'],
  [0.1, 'audience'],
  [0.15, 'identity'],
  [0.25, 'messaging'],
  [0.35, 'content'],
  [0.4, 'identity'],
  [0.5, 'messaging'],
] as const;
/** Of so many messages one is compared word by word. */
const SAMPLE_EVERY = 20;
/** A guard against hanging. */
const PROGRESS_MS_MAX = 300_000;

it('a list, a bulk job, delayed sends and refused ones at once survive a storm of kill -9, and the topics tell what the database tells', () =>
  tornDown(async (teardown) => {
    const { brokers } = await sharedTestKafka();
    const world = await startMixedWorld(teardown, 'kafka', SIZES);
    const { system, work, tables } = world;
    const end = new AbortController();
    teardown.add('the load', () => end.abort());
    const openAtKills = new Set<string>();
    const left: Unfinished[] = [];

    const begunAt = performance.now();
    const loaded = work.run(end.signal);
    left.push(await inTheMidst(world));
    for (const [part, name] of STORM) {
      await waitUntil(() => work.progress >= part, { what: `${part} of the mails`, timeoutMs: PROGRESS_MS_MAX });
      left.push(await tables.unfinished());
      const noteOpen = async (): Promise<void> => (await tables.openAttempts()).forEach((attempt) => openAtKills.add(attempt));
      await system.killProcess(name, name === 'messaging' ? noteOpen : undefined);
    }
    const stormMs = performance.now() - begunAt;
    end.abort();
    await loaded;
    const messages = await everythingOver(world);
    const overMs = performance.now() - begunAt;
    const repeated = await expectToldOnTopics(world, messages, brokers);
    report(
      `storm of ${STORM.length} kill -9 over everything at once, ${Math.round(stormMs)} ms: sends ${work.tally}, ` +
        `left at the kills ${JSON.stringify(left)}, all ${messages.length} messages over after ${Math.round(overMs)} ms, attempts open at the kills ${openAtKills.size}, ` +
        `second copies ${work.secondCopies}, records repeated on the history topic ${repeated}`,
    );

    await expectAsAccepted(world, messages);
    expect(openAtKills.size).toBeGreaterThan(0);
    expect(work.secondCopies).toBeLessThanOrEqual(openAtKills.size);
  }));

/**
 * Of every message, and of no other, each topic tells what the database tells; of some it is compared with every word that the interface
 * says. Resolves with the history records that came again.
 */
async function expectToldOnTopics(
  { system, client }: MixedWorld,
  stored: readonly StoredMessage[],
  brokers: readonly string[],
): Promise<number> {
  const history = await readHistoryTopic(brokers, system.topicPrefix, ({ events }) =>
    stored.every(({ id, number }) => (events.get(id)?.length ?? 0) >= number),
  );
  const statuses = await readStatusTopic(brokers, system.topicPrefix, (told) =>
    stored.every(({ id, number }) => (told.get(id)?.number ?? 0) >= number),
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
  await mapSome(
    ids.filter((_, index) => index % SAMPLE_EVERY === 0),
    async (id) => {
      expect(history.events.get(id)).toEqual(await client.history(id));
      expect(statuses.get(id)!.message).toEqual(await client.message(id));
    },
  );
  return history.repeated;
}
