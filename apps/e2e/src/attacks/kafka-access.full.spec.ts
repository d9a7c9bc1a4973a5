import '@tidings/testing/quiet';
import { randomUUID } from 'node:crypto';
import { systemContext } from '@tidings/contracts/core/context';
import type { ServiceName } from '@tidings/contracts/core/operation';
import { keys } from '@tidings/contracts/identity/keys';
import { messageHistory, type MessageRequested, messageRequested, messageStatus } from '@tidings/contracts/messaging/events';
import { KafkaEventLog } from '@tidings/events/kafka/kafka-event-log';
import { groupPrefixesOn, KAFKA_TOPIC_ACCESS } from '@tidings/events/kafka/topic-access';
import { PERSONAL_TOPICS } from '@tidings/events/topic-access';
import { type TopicSettings, topicSettings } from '@tidings/kafka/topic-settings';
import { KafkaTransport } from '@tidings/rpc/kafka/kafka-transport';
import { ANSWERING_SERVICES, CALLEES, callersOf, replyTopic, requestTopic } from '@tidings/rpc/kafka/rpc-topics';
import { KAFKA_ROLES, kafkaPrincipalOf } from '@tidings/runtime/kafka-access';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { CONSUMER, CONSUMER_GROUP, STRANGER, SUPER_USER } from '../testing/kafka-principals';
import { outcomeOfAppend, outcomeOfRead } from '../testing/kafka-attempts';
import { RestrictedProcesses } from '../testing/restricted-processes';

const OTHER_SIGNING = { secrets: ['another secret, also of 32 characters'] };
const TOPIC_REFUSED = 'TOPIC_AUTHORIZATION_FAILED';
/** kafkajs hides the reason, GROUP_AUTHORIZATION_FAILED. */
const GROUP_REFUSED = 'KafkaJSGroupCoordinatorNotFound';

describeWithKafka('the Kafka of docker-compose.yml, a principal for each process', () => {
  let processes: RestrictedProcesses;
  let messageId: string;
  let prefix: string;
  const ROLES = KAFKA_ROLES.map((role) => [role] as const);

  beforeAll(async () => {
    processes = await RestrictedProcesses.start();
    prefix = processes.kafka.topicPrefix;
  }, KAFKA_START_TIMEOUT_MS);
  afterAll(() => processes?.end());

  it('lets the five processes accept a send, deliver it and publish its history', async () => {
    const { client, smtp } = processes;
    await client.request('PUT', '/profiles/ada', { body: { profile: { email: 'ada@example.com' } } });
    await client.request('PUT', '/lists/all', { body: { name: 'All' } });
    await client.request('PUT', '/lists/all/subscriptions/ada');
    const content = { title: 'Hello', body: 'Hello' };
    const sent = await client.request<{ requestId: string }>('POST', '/send', { body: { message: { to: { user_id: 'ada' }, content } } });
    messageId = sent.body.requestId;
    await client.request('POST', '/send', { body: { message: { to: { list_id: 'all' }, content } } });

    await smtp.waitForMailsTo('ada@example.com', 2);
    await client.messageOnce('DELIVERED', messageId);
  });

  it('lets messaging put a record with an unknown key aside once an operator has noted it with identity', async () => {
    const { kafka, operator } = processes;
    const settings = { ...kafka.settingsOf(kafkaPrincipalOf('gateway')), signing: OTHER_SIGNING };
    const log = await KafkaEventLog.connect({ settings, clientId: 'spec' });
    const id = randomUUID();
    const payload = { workspaceId: randomUUID(), id } as MessageRequested; // never parsed
    await log.append(messageRequested, [{ id, payload }]).finally(() => log.close());
    await waitUntil(() => processes.output('messaging').includes('waits at offset'));

    const { topic } = messageRequested;
    const noted = await operator.request('POST', '/admin/events/skip-unverified', { body: { topic } });

    expect(noted.status).toBe(204);
    const superUser = kafka.clientOf(SUPER_USER);
    await waitUntil(async () => (await outcomeOfRead(superUser, `${prefix}${topic}.dead`, 'spec')) === 'read', { intervalMs: 200 });
  });

  it('lets messaging report how long each topic keeps the records of an erased user', async () => {
    const { body } = await processes.operator.request<{ results: { workspace_id: string }[] }>('GET', '/admin/workspaces');
    const path = `/admin/workspaces/${body.results[0]!.workspace_id}/erasures/log`;
    const erased = await processes.operator.request<{ remaining: { until?: string; what: string }[] }>('POST', path, {
      body: { user_id: 'nobody' },
    });

    expect([erased.status, erased.body]).toMatchObject([200, { done: true }]);
    for (const { topic } of PERSONAL_TOPICS.filter(({ topic }) => !topic.endsWith('.dead')))
      expect(erased.body.remaining).toContainEqual(
        expect.objectContaining({ what: expect.stringContaining(topic) as string, until: expect.any(String) as string }),
      );
  });

  it('lets a consumer read the history with the rights to those topics alone', async () => {
    const kafka = processes.kafka.clientOf(CONSUMER);
    const groupId = `${prefix}${CONSUMER_GROUP}`;
    for (const { topic } of [messageHistory, messageStatus]) {
      const isOurs = (value: string) => value.includes(messageId);
      await expect(outcomeOfRead(kafka, `${prefix}${topic}`, groupId, isOurs)).resolves.toBe('read');
    }

    await expect(outcomeOfRead(kafka, `${prefix}${messageRequested.topic}`, groupId)).resolves.toBe(TOPIC_REFUSED);
    await expect(outcomeOfAppend(kafka, `${prefix}${messageHistory.topic}`)).resolves.toBe(TOPIC_REFUSED);
  });

  it('refuses no process anything that it needs', () => {
    // Before the attacks below, which are refused.
    expect(processes.kafka.refusals(KAFKA_ROLES.map(kafkaPrincipalOf)) ?? []).toEqual([]);
  });

  it('without the right to read the settings of a topic the topic is refused, or used with a warning where that is set', async () => {
    const settings = { ...processes.kafka.settingsOf(CONSUMER), signing: processes.signing };
    const check = async (topics: TopicSettings): Promise<void> => {
      const log = await KafkaEventLog.connect({ settings: { ...settings, topics }, clientId: 'spec' });
      await log.checkTopics([messageHistory]).finally(() => log.close());
    };

    const missing = /message-history.* cannot be read: the right DescribeConfigs is missing/;
    await expect(check(topicSettings({ replication: 1 }))).rejects.toThrow(missing);
    await expect(check(topicSettings({ replication: 1, check: 'warn' }))).resolves.toBeUndefined();
  });

  describe('tidings kafka-access', () => {
    const commonReplies = () => replyTopic(prefix);

    it('can be repeated, and says what it did', async () => {
      const { end, output } = await processes.kafka.giveRights();

      expect({ end, output }).toEqual({
        end: 0,
        output: expect.stringMatching(/^User:tidings-gateway has the \d+ rights of gateway$/m) as string,
      });
      expect(output).toContain(`User:${CONSUMER} may read the history in the group ${prefix}${CONSUMER_GROUP}`);
    });

    it('gives rights to the common replies while records without signatures are accepted, and no longer', async () => {
      const before = await processes.kafka.rightsOf(kafkaPrincipalOf('content'));
      await processes.kafka.giveRights({ TIDINGS_RPC_UNSIGNED: 'accept' });
      const meanwhile = await processes.kafka.rightsOf(kafkaPrincipalOf('content'));
      await processes.kafka.giveRights();

      expect(before).not.toContain(commonReplies());
      expect(new Set(meanwhile)).toEqual(new Set([...before, commonReplies(), `${commonReplies()}.`]));
      await expect(processes.kafka.rightsOf(kafkaPrincipalOf('content'))).resolves.toEqual(before);
    });

    it('names the principal of a role that has another name', async () => {
      const { end } = await processes.kafka.giveRights({}, ['kafka-access', '--principal', 'content=CN=content,O=Shop']);

      expect(end).toBe(0);
      const rights = new Set(await processes.kafka.rightsOf('CN=content,O=Shop'));
      expect(rights).toEqual(new Set(await processes.kafka.rightsOf(kafkaPrincipalOf('content'))));
    });

    it.each([
      ['the principal of a process', () => processes.kafka.environmentOf('gateway'), /CLUSTER_AUTHORIZATION_FAILED.*super\.users/],
      ['a wrong password', () => ({ KAFKA_SASL_USERNAME: CONSUMER }), /refuse KAFKA_SASL_USERNAME with this password/],
      ['no brokers', () => ({ KAFKA_BROKERS: '' }), /KAFKA_BROKERS is missing/],
    ])('fails with %s, and says why', async (_what, connection, reason) => {
      const { end, output } = await processes.kafka.giveRights(connection());

      expect({ end, output }).toEqual({ end: 1, output: expect.stringMatching(reason) as string });
      expect(output).not.toMatch(/^\s+at /m);
    });
  });

  describe('what belongs to others', () => {
    // Topics of dead letters are created when there is one.
    beforeAll(() => processes.kafka.createMissing(eventTopics(() => true)));

    it.each(ROLES)('lets %s read no requests, replies and events of others', async (role) => {
      const kafka = processes.kafka.clientOf(kafkaPrincipalOf(role));
      const foreign = [
        ...KAFKA_ROLES.filter((other) => other !== role).map((other) => replyTopic(prefix, other)),
        ...ANSWERING_SERVICES.filter((other) => other !== role).map((other) => requestTopic(prefix, other)),
        ...eventTopics(({ readers }) => !readers.includes(role)),
      ];
      for (const topic of foreign) {
        const outcome = await outcomeOfRead(kafka, topic, `${replyTopic(prefix, role)}.attempt`);
        expect({ topic, outcome }).toEqual({ topic, outcome: TOPIC_REFUSED });
      }
    });

    it.each(ROLES)('lets %s write no requests, replies and events of others', async (role) => {
      const kafka = processes.kafka.clientOf(kafkaPrincipalOf(role));
      const foreign = [
        ...KAFKA_ROLES.filter((other) => other !== role && !callersOf(role).includes(other)).map((other) => replyTopic(prefix, other)),
        ...ANSWERING_SERVICES.filter((service) => !CALLEES[role].includes(service)).map((service) => requestTopic(prefix, service)),
        ...eventTopics(({ writers }) => !writers.includes(role)),
      ];
      for (const topic of foreign)
        expect({ topic, outcome: await outcomeOfAppend(kafka, topic) }).toEqual({ topic, outcome: TOPIC_REFUSED });
    });

    it.each(ROLES)('lets %s join no group of another role', async (role) => {
      const kafka = processes.kafka.clientOf(kafkaPrincipalOf(role));
      const own = replyTopic(prefix, role);
      const foreign = KAFKA_ROLES.filter((other) => other !== role).flatMap((other) => [
        ...eventGroupsOf(other),
        `${replyTopic(prefix, other)}.instance.0`,
        ...(ANSWERING_SERVICES.includes(other) ? [requestTopic(prefix, other)] : []),
      ]);
      for (const group of foreign)
        expect({ group, outcome: await outcomeOfRead(kafka, own, group) }).toEqual({ group, outcome: GROUP_REFUSED });
    });
  });

  describe('an attacker', () => {
    const createKey = async (user: string, signing: { secrets: readonly string[] }): Promise<unknown> => {
      const settings = { ...processes.kafka.settingsOf(user), signing };
      const transport = await KafkaTransport.connect({ settings, role: 'gateway' });
      const workspaceId = randomUUID();
      const request = { mode: 'production' as const, hash: 'a'.repeat(64), end: 'abcd' };
      try {
        return await transport.client().call(keys.create, { ...systemContext(randomUUID()), workspaceId }, request, { deadlineMs: 2_000 });
      } finally {
        await transport.close();
      }
    };

    it('without a password, or with that of another, gets no answer', async () => {
      const { kafka } = processes;
      const [gateway, content] = [kafkaPrincipalOf('gateway'), kafkaPrincipalOf('content')];
      for (const client of [kafka.clientOf(), kafka.clientOf(gateway, kafka.passwordOf(content))]) {
        const admin = client.admin();
        const listed = admin.connect().then(() => admin.listTopics());
        await expect(listed).rejects.toThrow();
        await admin.disconnect();
      }
      await expect(kafka.clientOf(gateway).admin().listTopics()).resolves.not.toEqual([]);
    });

    it('with the secret, but no rights, gets nothing', async () => {
      await expect(createKey(STRANGER, processes.signing)).rejects.toMatchObject({ code: 'unavailable' });

      const kafka = processes.kafka.clientOf(STRANGER);
      const topics = [requestTopic(prefix, 'identity'), replyTopic(prefix, 'gateway'), `${prefix}${messageRequested.topic}`];
      for (const topic of topics) {
        expect({ topic, outcome: await outcomeOfAppend(kafka, topic) }).toEqual({ topic, outcome: TOPIC_REFUSED });
        expect({ topic, outcome: await outcomeOfRead(kafka, topic, `${topic}.stranger`) }).toEqual({ topic, outcome: TOPIC_REFUSED });
      }
      expect(processes.kafka.refusals([STRANGER])).not.toEqual([]);
    });

    it('with the rights of a role, but no secret, gets no answer', async () => {
      const call = createKey(kafkaPrincipalOf('gateway'), OTHER_SIGNING);

      await expect(call).rejects.toMatchObject({ code: 'deadline_exceeded' });
      await waitUntil(() => processes.output('identity').includes('was refused: unknown key'));
    });
  });

  function eventTopics(isMeant: (access: (typeof KAFKA_TOPIC_ACCESS)[number]) => boolean): string[] {
    return KAFKA_TOPIC_ACCESS.filter(isMeant).map(({ topic }) => `${prefix}${topic.topic}`);
  }

  /** A group of each kind, on a topic of each. */
  function eventGroupsOf(role: ServiceName): string[] {
    const read = KAFKA_TOPIC_ACCESS.filter(({ readers }) => readers.includes(role)).slice(0, 1);
    return read.flatMap(({ topic }) => groupPrefixesOn(`${prefix}${topic.topic}`, role)).map((begin) => `${begin}group`);
  }
});
