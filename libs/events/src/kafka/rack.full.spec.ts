import '@tidings/testing/quiet';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { type ConsumerConfig, Kafka } from 'kafkajs';
import { newTopic, Notes, steps, upTo } from '../spec-events.fixture';
import { KafkaUnderTest } from './kafka-under-test.fixture';

/** Consecutive fetches that show where a consumer reads. */
const SHOWN = 20;

jest.setTimeout(KAFKA_START_TIMEOUT_MS);

describeWithKafka('A consumer in a rack, with brokers that permit reads from followers', () => {
  let under: KafkaUnderTest;

  beforeAll(async () => {
    const properties = (id: number): Record<string, string> => ({
      'broker.rack': `rack-${id}`,
      'replica.selector.class': 'org.apache.kafka.common.replica.RackAwareReplicaSelector',
    });
    under = await KafkaUnderTest.start({ brokers: 3, properties });
  }, KAFKA_START_TIMEOUT_MS);
  afterAll(() => under?.close());
  afterEach(() => jest.restoreAllMocks());

  /** Notes to which broker each fetch goes, of all consumers created from now on. */
  function noteFetches(): number[] {
    const ids: number[] = [];
    const { consumer: create } = Kafka.prototype;
    jest.spyOn(Kafka.prototype, 'consumer').mockImplementation(function (this: Kafka, config: ConsumerConfig = { groupId: '' }) {
      const consumer = create.call(this, config);
      consumer.on(consumer.events.REQUEST, ({ payload: { apiName, broker } }) => {
        if (apiName === 'Fetch') ids.push(under.cluster.brokers.indexOf(broker) + 1);
      });
      return consumer;
    });
    return ids;
  }

  async function read(rack: string | undefined, isShown: (ids: number[]) => boolean) {
    const ids = noteFetches();
    const topic = newTopic();
    const log = await under.open({ rack });
    const notes = new Notes();
    let count = 0;
    // Runs with different keys, so that records are in many partitions.
    const append = () => log.append(topic, [...steps(`r${count % 40}`, 1, ++count)], { deadlineMs: 60_000 });
    await append();
    await log.consume(topic, { group: 'g' }, notes.note);
    await waitUntil(
      async () => {
        await append();
        return isShown(ids);
      },
      { timeoutMs: 120_000 },
    );
    const complete = (): Promise<unknown> =>
      waitUntil(() => new Set(notes.records.map(({ payload }) => payload!.number)).size === count, { timeoutMs: 120_000 });
    await complete();
    return { append, complete, notes, numbers: () => upTo(count) };
  }

  it('reads from the replicas of its rack, and from the others while that broker is down', async () => {
    const { append, complete, notes, numbers } = await read(
      'rack-2',
      (ids) => ids.length >= SHOWN && ids.slice(-SHOWN).every((id) => id === 2),
    );

    await under.cluster.stopBroker(2);
    for (let n = 0; n < SHOWN; n++) await append();
    await complete();
    await under.cluster.startBroker(2);

    const found = [...new Set(notes.records.map(({ payload }) => payload!.number))];
    expect(found.sort((a, b) => a - b)).toEqual(numbers());
  });

  it('reads from the leaders when it names no rack', async () => {
    await read(undefined, (ids) => new Set(ids.slice(-SHOWN)).size === 3);
  });
});
