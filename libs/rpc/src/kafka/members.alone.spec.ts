import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createKafkaClient } from '@tidings/kafka/client';
import { ClusterTopics } from '@tidings/kafka/topics';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS, sharedTestKafka, TEST_SIGNING, TEST_TOPICS } from '@tidings/testing/kafka';
import '@tidings/testing/quiet';
import { SourceProcess } from '@tidings/testing/source-process';
import { waitUntil } from '@tidings/testing/wait-until';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { caller, greetings, GreetingsHandlers, GreetingsModule } from '../greetings.fixture';
import { KafkaTransport } from './kafka-transport';
import { Load, report } from './load.fixture';
import { replyTopic, rpcTopics } from './rpc-topics';

const MEMBER = join(__dirname, 'member.fixture.ts');
/** Longer than a killed member's session. */
const AFTER_KILL_MS = 8_000;
const STORM_ROUNDS = 4;
const CHANGE_EVERY_MS = 1_000;

describeWithKafka('Instances of a service and of its callers over Kafka', () => {
  let brokers: string[];
  let topicPrefix: string;
  let ends: (() => Promise<unknown>)[];

  beforeAll(async () => {
    ({ brokers } = await sharedTestKafka());
  }, KAFKA_START_TIMEOUT_MS);
  beforeEach(() => {
    topicPrefix = `members-${randomBytes(3).toString('hex')}.`;
    ends = [];
  });
  afterEach(async () => {
    for (const end of ends.reverse()) await end();
  });

  const connect = async (): Promise<KafkaTransport> => {
    // Like a process at its start: retries until the broker is ready and knows the topics.
    const transport = await waitUntil(() =>
      KafkaTransport.connect({ settings: { brokers, topicPrefix, topics: TEST_TOPICS, signing: TEST_SIGNING }, role: 'gateway' }),
    );
    ends.push(() => transport.close());
    return transport;
  };
  const serve = async (transport: KafkaTransport): Promise<INestMicroservice> => {
    const service = await NestFactory.createMicroservice(GreetingsModule, { strategy: transport.server('audience'), logger: false });
    ends.push(() => service.close());
    await service.listen();
    return service;
  };
  const spawnMember = async (): Promise<SourceProcess> => {
    const member = SourceProcess.start(MEMBER, { parameters: [brokers.join(','), topicPrefix] });
    ends.push(() => member.kill());
    await member.untilOutput(/listening/);
    return member;
  };

  it('lose no read when a member is killed under load', async () => {
    const client = (await connect()).client();
    const [, killed] = await Promise.all([spawnMember(), spawnMember()]);
    const load = new Load(client, { readers: 12, commanders: 4 });
    await waitUntil(() => load.answered > 500);

    await killed.kill();
    await delay(AFTER_KILL_MS);
    await load.stop();

    report('a member killed', load);
    expect(load.failed('read')).toEqual([]);
    // At most one command per caller was at the killed member or in flight to it.
    expect(load.failed('command').length).toBeLessThanOrEqual(4);
  });

  it('lose no call while members join and leave', async () => {
    const client = (await connect()).client();
    const changing = await connect();
    await serve(await connect());
    const load = new Load(client, { readers: 12, commanders: 4 });

    for (let round = 1; round <= STORM_ROUNDS; round++) {
      const temporary = await serve(changing);
      await delay(CHANGE_EVERY_MS);
      await temporary.close();
      await delay(CHANGE_EVERY_MS);
    }
    await load.stop();

    report(`${2 * STORM_ROUNDS} changes of the group`, load);
    expect(load.failed('read')).toEqual([]);
    expect(load.failed('command')).toEqual([]);
  });

  it('answer requests sent before the first member joined, until their deadlines', async () => {
    const client = (await connect()).client();
    // A command, because a read would be retried.
    const answer = client.call(greetings.echo, caller, { text: 'early' }, { deadlineMs: 30_000 });
    const late = client.call(greetings.greet, caller, { name: 'late' }, { deadlineMs: 100 });
    await expect(late).rejects.toMatchObject({ code: 'unavailable' });

    const service = await serve(await connect());
    await expect(answer).resolves.toEqual({ text: 'early' });
    // One after another, so that every partition has been read past the late request.
    for (let calls = 0; calls < 24; calls++) await client.call(greetings.greet, caller, { name: 'Eve' });

    const names = service.get(GreetingsHandlers).seen.map(({ request }) => request.name);
    expect(names).not.toContain('late');
  });

  it('read only their own replies, where callers share a partition', async () => {
    const replies = rpcTopics(topicPrefix, 'gateway').find(({ topic }) => topic === replyTopic(topicPrefix, 'gateway'))!;
    await new ClusterTopics(createKafkaClient({ brokers }, 'spec'), TEST_TOPICS).ensure([{ ...replies, partitions: 1 }]);
    const clients = [(await connect()).client(), (await connect()).client()];
    await serve(await connect());

    const names = Array.from({ length: 200 }, (_, index) => `n${index}`);
    const answers = await Promise.all(names.map((name, index) => clients[index % 2]!.call(greetings.greet, caller, { name })));
    expect(answers.map(({ text }) => text)).toEqual(names.map((name) => `Hello ${name}`));
  });
});
