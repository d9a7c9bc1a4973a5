import '@tidings/testing/quiet';
import { NestFactory } from '@nestjs/core';
import { topicSettings } from '@tidings/kafka/topic-settings';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS, sharedTestKafka, TEST_SIGNING } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { caller, greetings, GreetingsModule } from '../greetings.fixture';
import { KafkaTransport } from './kafka-transport';

const RECORD_BYTES_MAX = 100_000;

describeWithKafka('Operations on brokers that accept small records', () => {
  let transport: KafkaTransport;
  let close: () => Promise<unknown>;

  beforeAll(async () => {
    const { brokers } = await sharedTestKafka();
    const topics = topicSettings({ replication: 1, recordBytesMax: RECORD_BYTES_MAX });
    const settings = { brokers, topicPrefix: `large-${process.pid}.`, topics, signing: TEST_SIGNING };
    transport = await waitUntil(() => KafkaTransport.connect({ settings, role: 'gateway' }));
    const service = await NestFactory.createMicroservice(GreetingsModule, { strategy: transport.server('audience') });
    close = () => service.close().then(() => transport.close());
    await service.listen();
  }, KAFKA_START_TIMEOUT_MS);
  afterAll(() => close?.());

  const echo = (text: string): Promise<{ text: string }> => transport.client().call(greetings.echo, caller, { text });

  it('are answered beside those that are too large, which are refused', async () => {
    const texts = ['small', 'x'.repeat(60_000), 'x'.repeat(RECORD_BYTES_MAX), 'small'];

    const outcomes = await Promise.allSettled(texts.map(echo));

    expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? (outcome.reason as { code: string }).code : 'answered'))).toEqual([
      'answered',
      'answered',
      'payload_too_large',
      'answered',
    ]);
  });

  it('are refused when they grow beyond the limit by their seal', async () => {
    // Base64 makes a third more of it.
    await expect(echo('x'.repeat(85_000))).rejects.toMatchObject({ code: 'payload_too_large' });
  });
});
