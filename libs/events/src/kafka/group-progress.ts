import type { KafkaAdmin } from '@tidings/kafka/admin';
import type { PartitionStart } from './start-offset';

/** How far a broker's clock may differ from ours. */
const CLOCK_MARGIN_MS = 500;

/** A group's progress in its topic, as committed in the cluster. */
export class GroupProgress {
  /** Everything up to this time is handled. */
  private handledUpTo = -Infinity;
  /** The latest timestamp of a record that this instance has fetched. */
  private seenAt = -Infinity;

  constructor(
    private readonly admin: KafkaAdmin,
    private readonly topic: string,
    private readonly groupId: string,
  ) {}

  /** Notes the timestamp of a fetched record. */
  noteTimestamp(timestamp: number): void {
    if (timestamp > this.seenAt) this.seenAt = timestamp;
  }

  /**
   * What the cluster knows of each partition, at a new assignment: the group may have been set back.
   * @throws ServiceError `unavailable`
   */
  async partitions(): Promise<Map<number, PartitionStart>> {
    this.handledUpTo = -Infinity;
    const committed = await this.committed();
    const bounds = await this.admin.request((admin) => admin.fetchTopicOffsets(this.topic));
    return new Map(
      bounds.map(({ partition, low, high }) => [partition, { low: BigInt(low), high: BigInt(high), committed: committed.get(partition) }]),
    );
  }

  /** Records that no member of the group has committed. @throws ServiceError `unavailable` */
  async lag(): Promise<number> {
    const committed = await this.committed();
    const bounds = await this.admin.request((admin) => admin.fetchTopicOffsets(this.topic));
    const behind = bounds.map(({ partition, low, high }) => {
      const [at, earliest] = [committed.get(partition) ?? 0n, BigInt(low)];
      return Number(BigInt(high) - (at < earliest ? earliest : at));
    });
    return behind.reduce((sum, records) => sum + Math.max(0, records), 0);
  }

  /**
   * The first offset of each partition whose record was appended after this time, in ms; that of the next record where there is none.
   * @throws ServiceError `unavailable`
   */
  async firstNewer(time: number): Promise<Map<number, bigint>> {
    const newer = await this.admin.request((admin) => admin.fetchTopicOffsetsByTimestamp(this.topic, Math.floor(time) + 1));
    return new Map(newer.map(({ partition, offset }) => [partition, BigInt(offset)]));
  }

  /**
   * Whether every record appended up to this time is handled.
   * @param handledHere the next offset after what this member has handled of a partition.
   * @throws ServiceError `unavailable`
   */
  async hasHandledUpTo(time: number, handledHere: (partition: number) => bigint): Promise<boolean> {
    const instant = Math.floor(time);
    if (instant <= this.handledUpTo) return true;
    // Records with an older timestamp may still be appended.
    if (instant >= this.seenAt && instant >= Date.now() - CLOCK_MARGIN_MS) return false;
    const newer = await this.firstNewer(instant);
    const missing = [...newer].filter(([partition, offset]) => handledHere(partition) < offset);
    if (missing.length > 0) {
      const committed = await this.committed();
      if (missing.some(([partition, offset]) => (committed.get(partition) ?? -1n) < offset)) return false;
    }
    this.handledUpTo = Math.max(this.handledUpTo, instant);
    return true;
  }

  private committed() {
    return committedOffsets(this.admin, this.topic, this.groupId);
  }
}

/** The offsets that a group has committed in a topic, by partition; none where it has not committed. @throws ServiceError `unavailable` */
export async function committedOffsets(admin: KafkaAdmin, topic: string, groupId: string): Promise<Map<number, bigint>> {
  const answer = await admin.request((connected) => connected.fetchOffsets({ groupId, topics: [topic] }));
  const partitions = answer.flatMap((one) => one.partitions);
  return new Map(partitions.map(({ partition, offset }) => [partition, BigInt(offset)] as const).filter(([, offset]) => offset >= 0n));
}
