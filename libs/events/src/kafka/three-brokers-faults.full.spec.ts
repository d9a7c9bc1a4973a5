import { describeWithKafka, KAFKA_START_TIMEOUT_MS } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { type Admin, ConfigResourceTypes, Kafka, logLevel } from 'kafkajs';
import { newTopic } from '../spec-events.fixture';
import { KafkaUnderTest } from './kafka-under-test.fixture';
import { Handled, Load, report } from './load.fixture';

jest.setTimeout(300_000);

const OFFSETS_TOPIC = '__consumer_offsets';

describeWithKafka('Events over three brokers', () => {
  let under: KafkaUnderTest;
  let admin: Admin;

  beforeAll(async () => {
    under = await KafkaUnderTest.start({ brokers: 3 });
    admin = new Kafka({ brokers: under.cluster.brokers, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
  }, KAFKA_START_TIMEOUT_MS);
  afterAll(async () => {
    await admin?.disconnect();
    await under?.close();
  });

  /** The broker that leads the partition of the offsets topic that stores the group's offsets. */
  const coordinatorOf = async (groupId: string): Promise<number> => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [OFFSETS_TOPIC] });
    const { partitions } = topics[0]!;
    return partitions.find(({ partitionId }) => partitionId === (javaHashOf(groupId) & 0x7fffffff) % partitions.length)!.leader;
  };

  it('are replicated to all three and acknowledged by at least two', async () => {
    const topic = newTopic();
    const log = await under.open();
    await log.append(topic, [{ id: 'one', payload: { workspaceId: 'w', runId: 'a', number: 1 } }]);

    const name = `${under.settings.topicPrefix}${topic.topic}`;
    // A stored record does not mean that every broker knows its topic yet.
    const { topics } = await waitUntil(() => admin.fetchTopicMetadata({ topics: [name] }));
    const configNames = ['min.insync.replicas', 'unclean.leader.election.enable'];
    const { resources } = await waitUntil(() =>
      admin.describeConfigs({ includeSynonyms: false, resources: [{ type: ConfigResourceTypes.TOPIC, name, configNames }] }),
    );
    expect(new Set(topics[0]!.partitions.map(({ replicas }) => replicas.length))).toEqual(new Set([3]));
    expect(Object.fromEntries(resources[0]!.configEntries.map(({ configName, configValue }) => [configName, configValue]))).toEqual({
      'min.insync.replicas': '2',
      'unclean.leader.election.enable': 'false',
    });
  });

  it('survive the loss of the broker that coordinates their group and leads some partitions', async () => {
    const topic = newTopic();
    const [writer, one, two] = [await under.open(), await under.open(), await under.open()];
    const handled = new Handled();
    await one.consume(topic, { group: 'g' }, handled.handler());
    await two.consume(topic, { group: 'g' }, handled.handler());
    const load = new Load(writer, topic, { runs: 12 });
    await waitUntil(() => handled.total > 300, { what: 'a running load', timeoutMs: 120_000 });
    const coordinator = await coordinatorOf(`${under.settings.topicPrefix}${topic.topic}.g`);

    await under.cluster.kill(coordinator);
    const lostAt = performance.now();
    const recoveries = await Promise.all(
      [() => load.total, () => handled.total].map(async (total) => {
        const before = total();
        await waitUntil(() => total() > before + 500, { what: 'work to continue', timeoutMs: 120_000 });
        return Math.round(performance.now() - lostAt);
      }),
    );
    await under.cluster.startBroker(coordinator);
    await load.stop();

    await handled.expectAll(load);
    expect(handled.overlapping).toBe(0);
    report('coordinator of three brokers killed', {
      acknowledged: load.total,
      failures: load.failures,
      'handled again': handled.again,
      'longest append ms': Math.round(load.longestMs),
      'appending, handling recovered after ms': recoveries,
    });
  });
});

/** Java's `String.hashCode`. */
function javaHashOf(text: string): number {
  let hash = 0;
  for (let index = 0; index < text.length; index++) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  return hash;
}
