import { NestFactory } from '@nestjs/core';
import { GreetingsModule } from '../greetings.fixture';
import { TEST_SIGNING, TEST_TOPICS } from '@tidings/testing/kafka';
import { KafkaTransport } from './kafka-transport';

/** A member of the greetings service as a process of its own, for tests that kill it. */
async function main(): Promise<void> {
  const [brokers, topicPrefix] = process.argv.slice(2) as [string, string];
  const settings = { brokers: brokers.split(','), topicPrefix, topics: TEST_TOPICS, signing: TEST_SIGNING };
  const transport = await KafkaTransport.connect({ settings, role: 'gateway' });
  const service = await NestFactory.createMicroservice(GreetingsModule, { strategy: transport.server('audience'), logger: false });
  await service.listen();
  process.stdout.write('listening\n');
}

void main();
