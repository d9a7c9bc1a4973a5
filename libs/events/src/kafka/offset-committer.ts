import { Logger } from '@nestjs/common';
import { reasonOf } from '@tidings/persistence/errors';
import type { GroupReader } from '@tidings/kafka/group-reader';
import type { PartitionProgress } from './partition-progress';

/** At most one commit in this time; uncommitted records are delivered again after a crash. */
const COMMIT_INTERVAL_MS = 200;

const logger = new Logger('EventLog');

/** Commits a member's progress: shortly after the work, and at once before a rebalance. */
export class OffsetCommitter {
  private timer?: NodeJS.Timeout;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly reader: Pick<GroupReader, 'commit' | 'generation'>,
    private readonly partitions: ReadonlyMap<number, PartitionProgress>,
    /** For log lines. */
    private readonly name: string,
  ) {}

  /** Commits within 200 ms. */
  schedule(): void {
    this.timer ??= setTimeout(() => void this.flush(), COMMIT_INTERVAL_MS);
  }

  /** Commits what is not committed yet; never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(() => this.write());
    return this.writing;
  }

  private async write(): Promise<void> {
    const { generation } = this.reader;
    const changed = [...this.partitions.values()].filter(({ handled, committed, revoked }) => !revoked && handled !== committed);
    if (changed.length === 0) return;
    const offsets = new Map(changed.map(({ partition, handled }) => [partition, handled]));
    try {
      await this.reader.commit(generation, offsets);
      // The progress of a later generation is another object, or was set to what the cluster had then.
      if (generation === this.reader.generation) for (const progress of changed) progress.committed = offsets.get(progress.partition)!;
    } catch (error) {
      logger.debug(`${this.name}: committing offsets failed: ${reasonOf(error)}`);
    }
  }
}
