import { Injectable } from '@nestjs/common';
import { Sweeper } from '@tidings/jobs/sweeper';
import { Database, statement } from '@tidings/persistence/database';

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

// SQL because it deletes a bounded number of people, and skips those that are locked.
const PURGE = statement(
  'people-purge',
  `delete from people using (
     select workspace_id, user_id from people where gone_at < now() - $1 * interval '1 millisecond'
      order by gone_at limit $2 for update skip locked) as deleted
    where people.workspace_id = deleted.workspace_id and people.user_id = deleted.user_id`,
);

/** Removes the rows of deleted people once their retention has passed. */
@Injectable()
export class PeoplePurger extends Sweeper {
  constructor(private readonly database: Database) {
    super({
      queue: 'audience.deleted_people',
      what: 'Purging deleted people',
      intervalMs: INTERVAL_MS,
      firstMs: INTERVAL_MS,
      stepsMax: STATEMENTS_MAX,
    });
  }

  protected step(): Promise<boolean> {
    return this.purge();
  }

  /** Removes some of the people who were deleted `retentionMs` ago or earlier; resolves with whether there may be more. */
  async purge(retentionMs = RETENTION_MS): Promise<boolean> {
    return (await this.database.execute(PURGE, [retentionMs, ROWS_MAX])) === ROWS_MAX;
  }
}
