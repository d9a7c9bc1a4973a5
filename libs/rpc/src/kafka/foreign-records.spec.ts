import '@tidings/testing/quiet';
import { NestFactory } from '@nestjs/core';
import { createKafkaClient } from '@tidings/kafka/client';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS, sharedTestKafka, TEST_SIGNING, TEST_TOPICS } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { caller, greetings, GreetingsHandlers, GreetingsModule } from '../greetings.fixture';
import { HEADER } from './call-header';
import { KafkaTransport } from './kafka-transport';
import { replyTopic, requestTopic } from './rpc-topics';
import type { Refusal } from '@tidings/kafka/refused-records';

const OTHER_SIGNING = { secrets: ['another secret, also of 32 characters'] };
const TOPIC_PREFIX = `foreign-${process.pid}.`;

describeWithKafka('A client of the same Kafka without the secret', () => {
  let brokers: string[];
  let seen: GreetingsHandlers['seen'];
  const refused: Refusal[] = [];
  const ends: (() => Promise<unknown>)[] = [];

  const connect = async (signing: { secrets: string[]; acceptsUnsigned?: boolean }): Promise<KafkaTransport> => {
    const settings = { brokers, topicPrefix: TOPIC_PREFIX, topics: TEST_TOPICS, signing };
    const onRefused = (reason: Refusal): unknown => refused.push(reason);
    const transport = await waitUntil(() => KafkaTransport.connect({ settings, role: 'gateway', onRefused }));
    ends.unshift(() => transport.close());
    return transport;
  };

  beforeAll(async () => {
    ({ brokers } = await sharedTestKafka());
    const strategy = (await connect(TEST_SIGNING)).server('audience');
    const service = await NestFactory.createMicroservice(GreetingsModule, { strategy, logger: false });
    ends.unshift(() => service.close());
    await service.listen();
    seen = service.get(GreetingsHandlers).seen;
  }, KAFKA_START_TIMEOUT_MS);
  afterAll(async () => {
    for (const end of ends) await end();
  });
  beforeEach(() => void refused.splice(0));

  it('calls no operation by a record of its own', async () => {
    const producer = createKafkaClient({ brokers }, 'foreign').producer();
    ends.unshift(() => producer.disconnect());
    await producer.connect();
    const fields = [greetings.forget.pattern, 'foreign.1.1', 0, '5000', 'call', 'ws', 'production', '["*"]'];
    const messages = [{ value: '{"name":"Ada"}', headers: { [HEADER]: JSON.stringify(fields) } }];
    await producer.send({ topic: requestTopic(TOPIC_PREFIX, 'audience'), messages });

    await waitUntil(() => refused.includes('unsigned'));
    // A call after it is answered, so the record was not merely slow.
    await (await connect(TEST_SIGNING)).client().call(greetings.greet, caller, { name: 'Ada' });
    expect(seen.map(({ request }) => request)).toEqual([{ name: 'Ada' }]);
  });

  it('reads neither requests nor replies that carry secrets', async () => {
    const [secret, plain] = ['hunter2 of the caller', 'Grace'];
    const client = (await connect(TEST_SIGNING)).client();
    await expect(client.call(greetings.echo, caller, { text: secret })).resolves.toEqual({ text: secret });
    await client.call(greetings.greet, caller, { name: plain });

    const texts: string[] = [];
    const consumer = createKafkaClient({ brokers }, 'foreign').consumer({ groupId: `${TOPIC_PREFIX}foreign` });
    ends.unshift(() => consumer.disconnect());
    await consumer.connect();
    await consumer.subscribe({
      topics: [requestTopic(TOPIC_PREFIX, 'audience'), replyTopic(TOPIC_PREFIX, 'gateway')],
      fromBeginning: true,
    });
    await consumer.run({ eachMessage: async ({ message: { value } }) => void texts.push(String(value)) });

    const sealed = () => texts.filter((text) => text.startsWith('sealed:'));
    await waitUntil(() => sealed().length === 2 && texts.some((text) => text.includes(`Hello ${plain}`)), { timeoutMs: 30_000 });
    expect(texts.join()).not.toContain(secret);
  });

  it('calls no operation with a secret of its own', async () => {
    seen.splice(0);
    const call = (await connect(OTHER_SIGNING)).client().call(greetings.forget, caller, { name: 'Eve' }, { deadlineMs: 2_000 });

    await expect(call).rejects.toThrow(expect.objectContaining({ code: 'deadline_exceeded' }) as Error);
    expect(refused).toContain('unknown key');
    expect(seen).toEqual([]);
  });
});
