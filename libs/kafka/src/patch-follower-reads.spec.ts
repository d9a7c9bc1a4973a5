import './patch-follower-reads';
import { createRequire } from 'node:module';

interface ConsumerGroup {
  recoverFromOffsetOutOfRange(error: { topic: string; partition: number }): Promise<void>;
}

const { prototype } = createRequire(__filename)('kafkajs/src/consumer/consumerGroup') as { prototype: ConsumerGroup };
const ERROR = { topic: 'events', partition: 3 };

function recover(replicas: Record<number, { nodeId: number }>) {
  const setDefaultOffset = jest.fn();
  const group = {
    preferredReadReplicasPerTopicPartition: { events: replicas },
    offsetManager: { setDefaultOffset },
    logger: { error: () => undefined },
  };
  return { setDefaultOffset, recovered: prototype.recoverFromOffsetOutOfRange.call(group, ERROR) };
}

describe('an offset out of range', () => {
  it('at a follower is looked for at the leader', async () => {
    const replicas = { 2: { nodeId: 1 }, 3: { nodeId: 1 } };
    const { setDefaultOffset, recovered } = recover(replicas);
    await recovered;

    expect(setDefaultOffset).not.toHaveBeenCalled();
    expect(replicas).toEqual({ 2: { nodeId: 1 } });
  });

  it('at the leader is replaced by the default', async () => {
    const { setDefaultOffset, recovered } = recover({ 2: { nodeId: 1 } });
    await recovered;

    expect(setDefaultOffset).toHaveBeenCalledWith(ERROR);
  });
});
