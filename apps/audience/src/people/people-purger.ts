import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Database, statement } from '@tidings/persistence/database';
import { reasonOf } from '@tidings/persistence/errors';

/**
 * Retention of a deleted person's sequence numbers, in ms: longer than that of any record that could restore the person.
 * A compacted topic drops records before or with the tombstone that follows them; dead letters, which an operator may append
 * again, are retained for 14 days.
 */
const RETENTION_MS = 30 * 86_400_000;
const INTERVAL_MS = 3_600_000;
const ROWS_MAX = 1_000;
/** Statements of one round; remaining rows wait for the next round. */
const STATEMENTS_MAX = 1_000;

const PURGE = statement(
  'people-purge',
  `delete from people using (
     select workspace_id, user_id from people where gone_at < now() - $1 * interval '1 millisecond'
      order by gone_at limit $2 for update skip locked) as deleted
    where people.workspace_id = deleted.workspace_id and people.user_id = deleted.user_id`,
);

const logger = new Logger('Audiences');

/** Removes the rows of deleted people once their retention has passed. */
@Injectable()
export class PeoplePurger implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(private readonly db: Database) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.round = this.purge().catch((error: unknown) => logger.warn(`Purging deleted people failed; retrying later: ${reasonOf(error)}`));
    }, INTERVAL_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.round;
  }

  /** Removes people who were deleted `retentionMs` ago or earlier. */
  async purge(retentionMs = RETENTION_MS): Promise<void> {
    for (let count = 0; count < STATEMENTS_MAX && !this.stopped; count++) {
      if ((await this.db.execute(PURGE, [retentionMs, ROWS_MAX])) < ROWS_MAX) return;
    }
  }
}
