import '@tidings/testing/quiet';
import { randomUUID } from 'node:crypto';
import { KafkaAdmin } from '@tidings/kafka/admin';
import { createKafkaClient } from '@tidings/kafka/client';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import type { KafkaMessage } from 'kafkajs';
import { newTopic, steps } from '../spec-events.fixture';
import { KafkaInspection } from './kafka-inspection';
import { KafkaLogs } from './kafka-under-test.fixture';
import type { TopicReader } from './read-range';
import { readToEnd } from './read-to-end';
import { rangesBetween, replayInto, type ReplayOptions } from './replay';
import { groupNamed, resetGroup } from './reset-group';

const PER_KEY = 300;
const KEYS = ['a', 'b', 'c'];
const GROUP = 'spec.group';
const never = new AbortController().signal;

describeWithKafka('Replays', () => {
  let logs: KafkaLogs;
  let reader: TopicReader;

  beforeAll(async () => {
    logs = await KafkaLogs.onShared();
    const kafka = createKafkaClient(logs.settings, 'spec');
    reader = { kafka, admin: new KafkaAdmin(kafka), clientId: 'spec' };
  }, KAFKA_START_TIMEOUT_MS);
  afterAll(async () => {
    await reader.admin.close();
    await logs.close();
  });

  const nameOf = ({ topic }: { topic: string }): string => `${logs.settings.topicPrefix}${topic}`;
  /** A topic with so many records of each key; resolves with its event. */
  async function filled() {
    const event = newTopic();
    const log = await logs.open();
    // Alone: while some partitions of a new topic have no leader, an append to several of them is repeated as a whole.
    for (const key of KEYS) await log.append(event, steps(key, 1));
    await log.append(
      event,
      KEYS.flatMap((key) => steps(key, PER_KEY - 1, 2)),
    );
    return event;
  }
  async function target(partitions = 5): Promise<string> {
    const name = `${logs.settings.topicPrefix}into-${randomUUID()}`;
    await reader.admin.request((admin) =>
      admin.createTopics({ waitForLeaders: true, topics: [{ topic: name, numPartitions: partitions }] }),
    );
    return name;
  }
  /** Its records, each once: a copy of a new topic is repeated where some partition has no leader yet. */
  async function contentOf(topic: string): Promise<KafkaMessage[]> {
    const found = new Map<string, KafkaMessage>();
    await readToEnd(reader, topic, (message) => {
      const id = String(message.headers?.ce_id);
      if (!found.has(id)) found.set(id, message);
    });
    return [...found.values()];
  }
  const shown = ({ key, value, headers }: KafkaMessage) => JSON.stringify([key?.toString('hex'), value?.toString('hex'), headers]);
  const byKey = (messages: readonly KafkaMessage[]) => {
    const found: Record<string, string[]> = {};
    for (const message of messages) (found[String(message.key)] ??= []).push(shown(message));
    return found;
  };
  const replay = async (options: Pick<ReplayOptions, 'topic' | 'into'> & Partial<ReplayOptions>) =>
    replayInto(reader, {
      ranges: await rangesBetween(reader.admin, options.topic, 0),
      accepts: () => true,
      onCopied: () => undefined,
      signal: never,
      ...options,
    });

  it('copy keys, values and headers as they are, in the order of each key', async () => {
    const topic = nameOf(await filled());
    const into = await target();

    await replay({ topic, into });

    expect(byKey(await contentOf(into))).toEqual(byKey(await contentOf(topic)));
  });

  it('copy what was appended in a time, of the keys that are wanted', async () => {
    const event = await filled();
    const topic = nameOf(event);
    const last = Math.max(...(await contentOf(topic)).map(({ timestamp }) => Number(timestamp)));
    await waitUntil(() => Date.now() > last + 1, { what: 'a later millisecond' });
    await (
      await logs.open()
    ).append(
      event,
      KEYS.flatMap((key) => steps(key, 2)),
    );
    const [early, late] = [await target(), await target()];

    await replay({ topic, into: early, ranges: await rangesBetween(reader.admin, topic, 0, last + 1) });
    await replay({
      topic,
      into: late,
      ranges: await rangesBetween(reader.admin, topic, last + 1),
      accepts: ({ key }) => String(key).includes('a'),
    });

    expect(await contentOf(early)).toHaveLength(KEYS.length * PER_KEY);
    expect((await contentOf(late)).length).toBe(2);
  });

  it('that were stopped continue without a gap', async () => {
    const topic = nameOf(await filled());
    const into = await target();
    const ranges = await rangesBetween(reader.admin, topic, 0);
    const stop = new AbortController();

    await expect(
      replay({
        topic,
        into,
        ranges: new Map(ranges),
        signal: stop.signal,
        onCopied: ({ partition, next }) => {
          ranges.set(partition, { from: next, to: ranges.get(partition)!.to });
          stop.abort(new Error('stopped'));
        },
      }),
    ).rejects.toThrow('stopped');
    expect((await contentOf(into)).length).toBeLessThan(KEYS.length * PER_KEY);
    await replay({ topic, into, ranges });

    expect(byKey(await contentOf(into))).toEqual(byKey(await contentOf(topic)));
  });

  it('let a group read again from a time on, once it is inactive', async () => {
    const event = await filled();
    const topic = nameOf(event);
    const log = await logs.open();
    let read = 0;
    const consume = () => log.consume(event, { group: GROUP }, (batch) => Promise.resolve(void (read += batch.length)));
    const active = await consume();
    await waitUntil(() => read === KEYS.length * PER_KEY, { what: 'the records' });
    const groupId = await groupNamed(reader.admin, topic, GROUP);

    await expect(resetGroup(reader.admin, topic, groupId, 0)).rejects.toThrow(/is active: spec at .*Stop these processes/);
    await active.stop();
    const partitions = await resetGroup(reader.admin, topic, groupId, 0);

    expect(partitions.reduce((sum, { offset, before }) => sum + Number(before ?? offset) - Number(offset), 0)).toBe(KEYS.length * PER_KEY);
    const again = await consume();
    await waitUntil(() => read === 2 * KEYS.length * PER_KEY, { what: 'the records again' });
    await again.stop();
    await expect(groupNamed(reader.admin, topic, 'another')).rejects.toThrow(`groups of ${topic}: ${groupId}`);
  });

  it('are preceded by an inspection that knows what a group has handled', async () => {
    const event = await filled();
    const log = await logs.open();
    let read = 0;
    const member = await log.consume(event, { group: GROUP }, (batch) => Promise.resolve(void (read += batch.length)));
    await waitUntil(() => read === KEYS.length * PER_KEY, { what: 'the records' });
    await member.stop();
    await log.append(event, steps('d', 7));
    const inspection = new KafkaInspection({ settings: logs.settings, clientId: 'spec', topic: event.topic, group: GROUP });

    const handled: boolean[] = [];
    let cursor: string | undefined;
    for await (const page of inspection.pages(undefined, never)) {
      handled.push(...page.records.map(({ isHandled }) => isHandled));
      cursor = page.cursor;
    }

    expect([handled.filter(Boolean).length, handled.filter((one) => !one).length]).toEqual([KEYS.length * PER_KEY, 7]);
    for await (const page of inspection.pages(cursor, never)) expect(page.records).toEqual([]);
    await inspection.close();
  });
});
