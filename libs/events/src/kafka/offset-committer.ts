import { Logger } from '@nestjs/common';
import { reasonOf } from '@tidings/persistence/errors';
import type { GroupReader } from './group-reader';
import type { PartitionProgress } from './partition-progress';

/** At most one commit in this time; what is not committed when the process dies comes again. */
const COMMIT_INTERVAL_MS = 200;

const logger = new Logger('EventLog');

/** Tells the cluster how far a member has come: a little after the work, and at once when the group is divided anew. */
export class OffsetCommitter {
  private timer?: NodeJS.Timeout;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly reader: Pick<GroupReader, 'commit' | 'generation'>,
    private readonly places: ReadonlyMap<number, PartitionProgress>,
    /** For messages. */
    private readonly name: string,
  ) {}

  /** Something was handled. */
  note(): void {
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
    const changed = [...this.places.values()].filter(({ handled, committed, revoked: gone }) => !gone && handled !== committed);
    if (changed.length === 0) return;
    const offsets = new Map(changed.map(({ partition, handled }) => [partition, handled]));
    try {
      await this.reader.commit(generation, offsets);
      // A place of a later generation is another object, or stands at what the cluster said then.
      if (generation === this.reader.generation) for (const place of changed) place.committed = offsets.get(place.partition)!;
    } catch (error) {
      logger.debug(`${this.name}: a place could not be committed: ${reasonOf(error)}`);
    }
  }
}
