import { Logger } from '@nestjs/common';
import { reasonOf } from '@tidings/persistence/errors';
import type { GroupReader } from './group-reader';

const logger = new Logger('Kafka');

/** What a member has handled. */
interface Progress {
  /** The offsets that are not committed yet. */
  uncommitted(): Map<number, bigint>;
  /** Notes that these offsets are committed. */
  noteCommitted(offsets: ReadonlyMap<number, bigint>): void;
}

/** Commits a member's progress: shortly after the work, and at once before a rebalance. */
export class OffsetCommitter {
  private timer?: NodeJS.Timeout;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly reader: Pick<GroupReader, 'commit' | 'generation'>,
    /** At most one commit in this time; uncommitted records are delivered again after a crash. */
    private readonly intervalMs: number,
    private readonly progress: Progress,
    /** For log lines. */
    private readonly name: string,
  ) {}

  /** Commits within the interval. */
  schedule(): void {
    this.timer ??= setTimeout(() => void this.flush(), this.intervalMs);
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
    const offsets = this.progress.uncommitted();
    if (offsets.size === 0) return;
    try {
      await this.reader.commit(generation, offsets);
      // A later generation continues from what the cluster had then.
      if (generation === this.reader.generation) this.progress.noteCommitted(offsets);
    } catch (error) {
      logger.debug(`${this.name}: committing offsets failed: ${reasonOf(error)}`);
    }
  }
}
