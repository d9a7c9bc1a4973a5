import { Injectable, Logger } from '@nestjs/common';
import { Database, statement } from '@tidings/persistence/database';
import { reasonOf } from '@tidings/persistence/errors';

/**
 * How long the running numbers of who is gone are kept, in ms: longer than any record that could bring them back. Records of a
 * compacted topic go before or with the deletion that follows them, and what an operator may put back from the dead topic is
 * kept for 14 days.
 */
const KEPT_MS = 30 * 86_400_000;
const INTERVAL_MS = 3_600_000;
const ROWS_MAX = 1_000;
/** Steps of one round; what is left waits for the next one. */
const STEPS_MAX = 1_000;

const FORGET = statement(
  'people-forget',
  `delete from people using (
     select workspace_id, user_id from people where gone_at < now() - $1 * interval '1 millisecond'
      order by gone_at limit $2 for update skip locked) as gone
    where people.workspace_id = gone.workspace_id and people.user_id = gone.user_id`,
);

const logger = new Logger('Audiences');

/** Removes, after a while, what is remembered of people who are gone. */
@Injectable()
export class ForgetPeople {
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(private readonly db: Database) {}

  start(): void {
    this.timer = setInterval(() => {
      this.round = this.forget().catch((error: unknown) => logger.warn(`People who are gone are forgotten later: ${reasonOf(error)}`));
    }, INTERVAL_MS).unref();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.round;
  }

  /** Removes who has been gone for `keptMs` at least. */
  async forget(keptMs = KEPT_MS): Promise<void> {
    for (let steps = 0; steps < STEPS_MAX && !this.stopped; steps++) {
      if ((await this.db.execute(FORGET, [keptMs, ROWS_MAX])) < ROWS_MAX) return;
    }
  }
}
