import type { KafkaAdmin } from './admin';

/** What is before a record's offset is past for our clock only with this margin: the brokers' clocks differ. */
const CLOCK_MARGIN_MS = 500;

/** Where a group's partition begins, and whether that is what the cluster remembers of it. */
interface Beginning {
  offset: bigint;
  committed?: bigint;
}

/** What the cluster knows of a group's way through its topic. */
export class GroupProgress {
  /** Handled by the group, for ever. */
  private provenUpTo = -Infinity;
  /** The latest time that a record of the topic carries, as far as this instance has seen. */
  private seenAt = -Infinity;

  constructor(
    private readonly admin: KafkaAdmin,
    private readonly topic: string,
    private readonly groupId: string,
  ) {}

  /** Notes that the log's clock has come so far. */
  saw(timestamp: number): void {
    if (timestamp > this.seenAt) this.seenAt = timestamp;
  }

  /**
   * Where to begin in each partition: at the committed place, at the earliest record when there is none, or when the log does
   * not reach there any more.
   * @throws ServiceError `unavailable`
   */
  async beginnings(): Promise<Map<number, Beginning>> {
    const committed = await this.committed();
    const bounds = await this.admin.ask((admin) => admin.fetchTopicOffsets(this.topic));
    return new Map(
      bounds.map(({ partition, low, high }) => {
        const [at, earliest, end] = [committed.get(partition), BigInt(low), BigInt(high)];
        if (at === undefined || at < earliest || at > end) return [partition, { offset: earliest }];
        return [partition, { offset: at, committed: at }];
      }),
    );
  }

  /**
   * Whether every record that the log took up to this time is handled.
   * @param handledHere what this member has handled of its partitions: the next offset.
   * @throws ServiceError `unavailable`
   */
  async hasHandledUpTo(time: number, handledHere: (partition: number) => bigint): Promise<boolean> {
    const instant = Math.floor(time);
    if (instant <= this.provenUpTo) return true;
    // More may come that is as old as this.
    if (instant >= this.seenAt && instant >= Date.now() - CLOCK_MARGIN_MS) return false;
    const later = await this.admin.ask((admin) => admin.fetchTopicOffsetsByTimestamp(this.topic, instant + 1));
    if (!(await this.reaches(later, handledHere))) return false;
    this.provenUpTo = Math.max(this.provenUpTo, instant);
    return true;
  }

  /**
   * Whether every record that the log took before this question is handled.
   * @param handledHere as above.
   * @throws ServiceError `unavailable`
   */
  async hasHandledAll(handledHere: (partition: number) => bigint): Promise<boolean> {
    const bounds = await this.admin.ask((admin) => admin.fetchTopicOffsets(this.topic));
    const ends = bounds.filter(({ low, high }) => BigInt(high) > BigInt(low));
    return this.reaches(
      ends.map(({ partition, high }) => ({ partition, offset: high })),
      handledHere,
    );
  }

  /** Whether the group has handled what is before these offsets, here or elsewhere. */
  private async reaches(
    offsets: readonly { partition: number; offset: string }[],
    handledHere: (partition: number) => bigint,
  ): Promise<boolean> {
    const missing = offsets.filter(({ partition, offset }) => handledHere(partition) < BigInt(offset));
    if (missing.length === 0) return true;
    const committed = await this.committed();
    return missing.every(({ partition, offset }) => (committed.get(partition) ?? -1n) >= BigInt(offset));
  }

  private async committed(): Promise<Map<number, bigint>> {
    const { groupId, topic } = this;
    const answer = await this.admin.ask((admin) => admin.fetchOffsets({ groupId, topics: [topic] }));
    const partitions = answer.flatMap((one) => one.partitions);
    return new Map(partitions.map(({ partition, offset }) => [partition, BigInt(offset)] as const).filter(([, offset]) => offset >= 0n));
  }
}
