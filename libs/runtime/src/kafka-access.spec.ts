import type { KafkaRight } from '@tidings/kafka/acls';
import { commonReplyAccess, consumerAccess, KAFKA_ROLES, kafkaAccess } from './kafka-access';

const named = (rights: readonly KafkaRight[], name: string): readonly string[] =>
  rights.filter((right) => right.name === name).flatMap(({ operations }) => operations);

describe('the rights of a role in Kafka', () => {
  it('are those of its calls and events, below the prefix', () => {
    const rights = kafkaAccess('audience', 'staging.');

    expect(rights.every(({ name }) => name.startsWith('staging.tidings.'))).toBe(true);
    expect(named(rights, 'staging.tidings.rpc.audience')).toEqual(['Read', 'Create', 'Describe', 'DescribeConfigs', 'Read', 'Describe']);
    expect(named(rights, 'staging.tidings.rpc.replies.gateway')).toEqual(['Write', 'Create', 'Describe', 'DescribeConfigs']);
    expect(named(rights, 'staging.tidings.profiles.v1')).toEqual(['Read', 'Create', 'Describe', 'DescribeConfigs']);
    expect(named(rights, 'staging.tidings.profiles.v1.tidings.audience.')).toEqual(['Read', 'Describe']);
    expect(named(rights, 'staging.tidings.rpc.identity')).toEqual([]);
    expect(named(rights, 'staging.tidings.message-requests.v1')).toEqual([]);
  });

  it('of messaging let it see how long the other topics keep the records of an erased user', () => {
    expect(named(kafkaAccess('messaging'), 'tidings.profiles.v1')).toEqual(['Describe', 'DescribeConfigs']);
  });

  it('cover no topic and no group of another role', () => {
    const groupsOf = (role: (typeof KAFKA_ROLES)[number]) => kafkaAccess(role).filter(({ resource }) => resource === 'group');
    for (const role of KAFKA_ROLES) {
      expect(kafkaAccess(role).filter(({ resource, pattern }) => resource === 'topic' && pattern === 'prefixed')).toEqual([]);
      const prefixes = groupsOf(role).filter(({ pattern }) => pattern === 'prefixed');
      const foreign = KAFKA_ROLES.filter((other) => other !== role).flatMap(groupsOf);
      expect(foreign.filter(({ name }) => prefixes.some((own) => name.startsWith(own.name) || own.name.startsWith(name)))).toEqual([]);
    }
  });

  it('leave out the topic of all replies, which is for records without signatures', () => {
    expect(KAFKA_ROLES.flatMap((role) => named(kafkaAccess(role), 'tidings.rpc.replies'))).toEqual([]);
    expect(named(commonReplyAccess('p.'), 'p.tidings.rpc.replies')).toEqual(['Read', 'Write', 'Create', 'Describe', 'DescribeConfigs']);
  });

  it('of a consumer are the topics of the interface and its group', () => {
    expect(consumerAccess('p.shop', 'p.').map(({ name, operations }) => [name, operations.join()])).toEqual([
      ['p.tidings.message-history.v1', 'Read,Describe'],
      ['p.tidings.message-status.v1', 'Read,Describe'],
      ['p.tidings.provider-events.v1', 'Read,Describe'],
      ['p.shop', 'Read,Describe'],
    ]);
  });
});
