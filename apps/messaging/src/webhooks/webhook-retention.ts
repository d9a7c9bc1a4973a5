import { DAY_MS } from '@tidings/contracts/core/duration';
import { type Database, statement } from '@tidings/persistence/database';
import { deleteInSteps } from '../record/sql';

/** How long deliveries are stored after their event. */
const RETENTION_MS = 14 * DAY_MS;
/** Rows of one step, a transaction of its own. */
const STEP_ROWS = 1_000;
/** Steps of one round; the rest waits for the next. */
const STEPS_MAX = 5_000;

// SQL because rows are removed in steps that skip locked ones.
const REMOVE = statement(
  'messaging.remove_webhook_deliveries',
  `delete from webhook_deliveries where delivery_id in (
     select delivery_id from webhook_deliveries where created_at < to_timestamp($1 / 1000.0) limit ${STEP_ROWS} for update skip locked)`,
);

/** Removes the deliveries of webhooks that are older than their retention, whatever became of them. */
export async function removeOldWebhookDeliveries(database: Database, nowMs: number, stopping: () => boolean): Promise<void> {
  await deleteInSteps(database, REMOVE, [nowMs - RETENTION_MS], { rows: STEP_ROWS, stepsMax: STEPS_MAX, stopping });
}
