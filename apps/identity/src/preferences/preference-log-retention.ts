import { Inject, Injectable } from '@nestjs/common';
import { DAY_MS } from '@tidings/contracts/core/duration';
import { Sweeper } from '@tidings/jobs/sweeper';
import { Database, statement } from '@tidings/persistence/database';

/** Injects the retention of the log, in ms. */
export const PREFERENCE_LOG_RETENTION = Symbol('PreferenceLogRetention');

/** First round: soon after the start, but after the first requests. */
const FIRST_MS = 10_000;
const RETRY_MS = 600_000;
/** Rows of one step, a transaction of its own, and steps of one round. */
const STEP_ROWS = 5_000;
const STEPS_MAX = 2_000;

// SQL because it removes in bounded steps, and skips rows that another process removes.
const REMOVE_OLD = statement(
  'preference-changes-remove-old',
  `delete from preference_changes where (workspace_id, change_id) in (
     select workspace_id, change_id from preference_changes where at < now() - $1 * interval '1 millisecond' limit $2 for update skip locked)`,
);

/** Removes changes from the log of preferences when their retention ends. */
@Injectable()
export class PreferenceLogRetention extends Sweeper {
  constructor(
    private readonly database: Database,
    @Inject(PREFERENCE_LOG_RETENTION) private readonly retentionMs: number,
  ) {
    super({
      queue: 'identity.preference_log',
      what: 'Removing old changes of preferences',
      intervalMs: DAY_MS,
      firstMs: FIRST_MS,
      retryMs: RETRY_MS,
      stepsMax: STEPS_MAX,
    });
  }

  protected async step(): Promise<boolean> {
    return (await this.database.execute(REMOVE_OLD, [this.retentionMs, STEP_ROWS])) > 0;
  }
}
