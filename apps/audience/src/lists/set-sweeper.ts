import { Inject, Injectable } from '@nestjs/common';
import { LIST_RESTORABLE_DAYS } from '@tidings/contracts/audience/lists';
import { Sweeper } from '@tidings/jobs/sweeper';
import { Database, statement } from '@tidings/persistence/database';
import { dropSets } from './subscriber-sets';

/** Interval of rounds, in ms. Dropped sets are not read: removing them only frees disk space. */
export const SET_SWEEP_MS = 60_000;
/** Injects that interval. */
export const SET_SWEEP_MS_TOKEN = Symbol('SetSweepMs');
/** Subscriptions removed per transaction. */
const STEP_ROWS = 5_000;
/** Steps of one round; the rest waits for the next round. */
const STEPS_MAX = 2_000;
const EXPIRED_MAX = 100;

// SQL because it skips rows that calls or other sweepers have locked, and removes in bounded steps.
/** Sets that a call adds subscribers to are locked and skipped. */
const NEXT = statement(
  'set-sweeper-next',
  `select workspace_id, set_id from subscriber_sets where dropped_at is not null
    order by workspace_id, set_id limit 1 for update skip locked`,
);
const REMOVE_SOME = statement(
  'set-sweeper-remove-some',
  `delete from subscriptions where workspace_id = $1 and set_id = $2 and user_id = any(array(
     select user_id from subscriptions where workspace_id = $1 and set_id = $2 order by user_id limit $3 for update skip locked))`,
);
const REMOVE_EMPTY = statement(
  'set-sweeper-remove-empty',
  `delete from subscriber_sets where workspace_id = $1 and set_id = $2
      and not exists (select from subscriptions where workspace_id = $1 and set_id = $2)`,
);
const EXPIRE = statement(
  'set-sweeper-expire',
  `delete from lists where (workspace_id, list_id) in (
     select workspace_id, list_id from lists where deleted_at < now() - $1 * interval '1 day'
      order by workspace_id, deleted_at limit $2 for update skip locked)
   returning workspace_id, set_id`,
);

interface SetRow {
  workspace_id: string;
  set_id: string;
}

/**
 * Removes, in short transactions, the subscriptions of dropped sets and the lists that can no longer be restored. Several instances may
 * run at once.
 */
@Injectable()
export class SetSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    @Inject(SET_SWEEP_MS_TOKEN) intervalMs: number,
  ) {
    super({ queue: 'audience.dropped_sets', what: 'Removing dropped subscriptions', intervalMs, firstMs: intervalMs, stepsMax: STEPS_MAX });
  }

  /** Locked rows wait for the next round. */
  protected async step(): Promise<boolean> {
    return (await this.removeSome()) || (await this.expire());
  }

  /** Drops the sets of expired lists; whether there were any. */
  private expire() {
    return this.database.transaction(async (tx) => {
      const expired = await tx.query<SetRow>(EXPIRE, [LIST_RESTORABLE_DAYS, EXPIRED_MAX]);
      const workspaces = new Set(expired.map(({ workspace_id }) => workspace_id));
      for (const workspaceId of workspaces) {
        await dropSets(
          tx,
          workspaceId,
          expired.filter(({ workspace_id }) => workspace_id === workspaceId).map(({ set_id }) => set_id),
        );
      }
      return expired.length > 0;
    });
  }

  /** Removes subscriptions of one dropped set; whether anything was removed. */
  private removeSome() {
    return this.database.transaction(async (tx) => {
      const [next] = await tx.query<SetRow>(NEXT);
      if (!next) return false;
      const key = [next.workspace_id, next.set_id];
      const removed = await tx.execute(REMOVE_SOME, [...key, STEP_ROWS]);
      const emptied = removed < STEP_ROWS && (await tx.execute(REMOVE_EMPTY, key)) > 0;
      return removed > 0 || emptied;
    });
  }
}
