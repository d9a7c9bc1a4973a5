import './patch-broker-changes';
import { createRequire } from 'node:module';
import { freePort } from '@tidings/testing/free-port';
import { Kafka, logLevel } from 'kafkajs';

interface ConsumerGroup {
  heartbeat(options: { interval: number }): Promise<void>;
  recoverFromFetch(error: { type: string }): Promise<void>;
  fetch(nodeId: string): Promise<unknown>;
}

interface Runner {
  scheduleFetchManager(): void;
}

const kafkajs = createRequire(__filename);
const RunnerOfKafkajs = kafkajs('kafkajs/src/consumer/runner') as new (options: object) => Runner;
const { KafkaJSConnectionError, KafkaJSNumberOfRetriesExceeded, KafkaJSNoBrokerAvailableError } = kafkajs('kafkajs/src/errors') as Record<
  string,
  new (error?: unknown, options?: object) => Error
>;
const ConsumerGroupOfKafkajs = kafkajs('kafkajs/src/consumer/consumerGroup') as new (options: object) => ConsumerGroup;

/** A member whose coordinator refuses heartbeats, in a cluster with another one. */
function memberRefusedWith(error: object) {
  const beats: string[] = [];
  const coordinator = { heartbeat: () => Promise.reject(Object.assign(new Error('refused'), error)) };
  const next = { heartbeat: () => Promise.resolve(void beats.push('next')) };
  const group = new ConsumerGroupOfKafkajs({
    groupId: 'group',
    topicConfigurations: {},
    logger: { namespace: () => ({ debug: () => undefined }) },
    cluster: { findGroupCoordinator: () => Promise.resolve(next) },
    instrumentationEmitter: { emit: () => undefined },
  });
  Object.assign(group, { coordinator, memberId: 'member', generationId: 1, lastRequest: 0 });
  return { group, beats };
}

const beat = ({ group }: { group: ConsumerGroup }) => group.heartbeat({ interval: 0 });

describe('a heartbeat that the coordinator refuses', () => {
  it.each([{ type: 'NOT_COORDINATOR_FOR_GROUP' }, { type: 'GROUP_COORDINATOR_NOT_AVAILABLE' }, { name: 'KafkaJSConnectionClosedError' }])(
    'because it has moved (%j) is followed by one to the new coordinator',
    async (error) => {
      const member = memberRefusedWith(error);

      await beat(member);
      await beat(member);

      expect(member.beats).toEqual(['next']);
    },
  );

  it('while it loads the group leaves the member in it', async () => {
    await expect(beat(memberRefusedWith({ type: 'GROUP_LOAD_IN_PROGRESS' }))).resolves.toBeUndefined();
  });

  it.each(['REBALANCE_IN_PROGRESS', 'UNKNOWN_MEMBER_ID'])('for another reason (%s) fails as before', async (type) => {
    await expect(beat(memberRefusedWith({ type }))).rejects.toMatchObject({ type });
  });
});

describe('a fetch', () => {
  it('of a partition that has a new leader leaves the member in its group', async () => {
    const refreshMetadata = jest.fn(() => Promise.resolve());
    const joinAndSync = jest.fn();
    const { group } = memberRefusedWith({});
    Object.assign(group, { cluster: { refreshMetadata }, joinAndSync });

    await group.recoverFromFetch({ type: 'NOT_LEADER_FOR_PARTITION' });

    expect(refreshMetadata).toHaveBeenCalledTimes(1);
    expect(joinAndSync).not.toHaveBeenCalled();
  });

  it('that fails is an event too', async () => {
    const emit = jest.fn();
    const { group } = memberRefusedWith({});
    const cluster = { refreshMetadataIfNecessary: () => Promise.reject(new Error('no broker')) };
    Object.assign(group, { cluster, instrumentationEmitter: { emit } });

    await expect(group.fetch('1')).rejects.toThrow('no broker');
    expect(emit).toHaveBeenCalledWith('consumer.fetch', expect.objectContaining({ nodeId: '1', failed: true }));
  });
});

describe('a connection that is refused', () => {
  it('is an event of its consumer', async () => {
    const broker = `127.0.0.1:${await freePort()}`;
    const kafka = new Kafka({ brokers: [broker], retry: { retries: 0 }, logLevel: logLevel.NOTHING });
    const consumer = kafka.consumer({ groupId: 'group' });
    const refused = jest.fn();
    consumer.on(consumer.events.FETCH, ({ payload }) => void refused(payload));

    await expect(consumer.connect()).rejects.toThrow(`ECONNREFUSED ${broker}`);
    expect(refused).toHaveBeenCalledWith({ refused: true });
  });
});

describe('a member whose fetches fail', () => {
  const refused = new KafkaJSConnectionError!('connect ECONNREFUSED', { broker: '127.0.0.1:9092', code: 'ECONNREFUSED' });

  /** A running member whose fetches fail with these errors, one after the other, and then wait for records; resolves with how it ended. */
  async function through(...errors: readonly Error[]): Promise<'ended' | 'fetches'> {
    const left = [...errors];
    const refreshMetadata = jest.fn(() => Promise.resolve());
    const logger = { namespace: () => logger, debug: () => undefined, error: () => undefined };
    return new Promise((resolve) => {
      const runner = new RunnerOfKafkajs({
        logger,
        consumerGroup: { groupId: 'group', memberId: 'member', cluster: { refreshMetadata } },
        instrumentationEmitter: { emit: () => undefined },
        onCrash: () => resolve('ended'),
        retry: { retries: 0 },
      });
      const start = () => {
        const error = left.shift();
        if (error) return Promise.reject(error);
        expect(refreshMetadata).toHaveBeenCalledTimes(errors.length);
        resolve('fetches');
        return new Promise<void>(() => undefined);
      };
      Object.assign(runner, { running: true, fetchManager: { start } });
      runner.scheduleFetchManager();
    });
  }

  it('since no broker accepts a connection remains in its group and fetches again', async () => {
    const exceeded = new KafkaJSNumberOfRetriesExceeded!(refused, { retryCount: 4, retryTime: 500 });
    await expect(through(refused, exceeded, new KafkaJSNoBrokerAvailableError!())).resolves.toBe('fetches');
  });

  it('for another reason ends', async () => {
    await expect(through(new Error('wrong checksum'))).resolves.toBe('ended');
  });
});
