import type { KafkaAdmin } from '@tidings/kafka/admin';
import { committedOffsets } from './group-progress';

/** Where a group continues in a partition, and where it would have. */
export interface ResetPartition {
  readonly partition: number;
  readonly offset: string;
  /** `null`: the group had committed none. */
  readonly before: string | null;
}

/** Commits are repeated so often until the cluster has them. */
const COMMIT_ATTEMPTS = 3;

/** The groups that have committed offsets or members, by their names in the cluster. @throws ServiceError `unavailable` */
async function groupsOf(admin: KafkaAdmin) {
  const { groups } = await admin.request((connected) => connected.listGroups());
  return groups.map(({ groupId }) => groupId).sort();
}

/**
 * The name of a group in the cluster: as given, or a group of the product, `<topic>.<group>`.
 * @throws Error naming the groups of the topic where there is none of the name.
 */
export async function groupNamed(admin: KafkaAdmin, topic: string, given: string): Promise<string> {
  const groups = await groupsOf(admin);
  const found = [`${topic}.${given}`, given].find((one) => groups.includes(one));
  if (found !== undefined) return found;
  const others = groups.filter((one) => one.startsWith(`${topic}.`) && !one.includes('.reader.'));
  throw new Error(`There is no group ${given}${others.length > 0 ? `; groups of ${topic}: ${others.join(', ')}` : ''}`);
}

/**
 * Sets the offsets of a group in a topic to its first records at a time, or after it.
 * @throws Error while the group has members, naming them, and where the commit is refused; ServiceError `unavailable`.
 */
export async function resetGroup(admin: KafkaAdmin, topic: string, groupId: string, fromMs: number): Promise<ResetPartition[]> {
  await assertInactive(admin, groupId);
  const committed = await committedOffsets(admin, topic, groupId);
  const wanted = await admin.request((connected) => connected.fetchTopicOffsetsByTimestamp(topic, fromMs));
  const partitions = wanted.map(({ partition, offset }) => ({ partition, offset }));
  for (let attempt = 1; ; attempt += 1) {
    await admin.request(async (connected) => {
      await connected.setOffsets({ groupId, topic, partitions });
      return true;
    });
    const stored = await committedOffsets(admin, topic, groupId);
    if (partitions.every(({ partition, offset }) => stored.get(partition) === BigInt(offset))) break;
    if (attempt === COMMIT_ATTEMPTS) throw new Error(`The offsets of group ${groupId} were not all set: run the command again`);
  }
  return partitions
    .map(({ partition, offset }) => ({ partition, offset, before: committed.get(partition)?.toString() ?? null }))
    .sort((one, other) => one.partition - other.partition);
}

async function assertInactive(admin: KafkaAdmin, groupId: string) {
  const { groups } = await admin.request((connected) => connected.describeGroups([groupId]));
  const members = groups.flatMap((group) => group.members);
  if (members.length === 0) return;
  const named = members.map(({ clientId, clientHost }) => `${clientId} at ${clientHost.replace(/^\//, '')}`);
  throw new Error(
    `Group ${groupId} is active: ${named.join(', ')}. Stop these processes, wait until they have left, and run the command again`,
  );
}
