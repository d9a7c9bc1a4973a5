import type { KafkaAdmin } from '@tidings/kafka/admin';

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
   * Where to start in each partition: at the committed offset, or at the earliest record when none is committed or the log does
   * not contain it any more; `committed` when it is the committed offset.
   * @throws ServiceError `unavailable`
   */
  async startOffsets(): Promise<Map<number, { offset: bigint; committed?: bigint }>> {
    const committed = await this.committed();
    const bounds = await this.admin.request((admin) => admin.fetchTopicOffsets(this.topic));
    return new Map(
      bounds.map(({ partition, low, high }) => {
        const [at, earliest, end] = [committed.get(partition), BigInt(low), BigInt(high)];
        if (at === undefined || at < earliest || at > end) return [partition, { offset: earliest }];
        return [partition, { offset: at, committed: at }];
      }),
    );
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
    const later = await this.admin.request((admin) => admin.fetchTopicOffsetsByTimestamp(this.topic, instant + 1));
    const missing = later.filter(({ partition, offset }) => handledHere(partition) < BigInt(offset));
    if (missing.length > 0) {
      const committed = await this.committed();
      if (missing.some(({ partition, offset }) => (committed.get(partition) ?? -1n) < BigInt(offset))) return false;
    }
    this.handledUpTo = Math.max(this.handledUpTo, instant);
    return true;
  }

  private async committed() {
    const { groupId, topic } = this;
    const answer = await this.admin.request((admin) => admin.fetchOffsets({ groupId, topics: [topic] }));
    const partitions = answer.flatMap((one) => one.partitions);
    return new Map(partitions.map(({ partition, offset }) => [partition, BigInt(offset)] as const).filter(([, offset]) => offset >= 0n));
  }
}
