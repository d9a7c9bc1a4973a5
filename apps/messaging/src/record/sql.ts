import type { Database, Statement } from '@tidings/persistence/database';

/**
 * In `returning` of an update of `messages`: time of the last event before the update. A subquery sees the old row; a statement that may
 * race with another writer of the message locks it first.
 */
export const LAST_EVENT_BEFORE =
  '(select before.last_event_at from messages before where before.workspace_id = messages.workspace_id and before.id = messages.id)';

/**
 * The end of a statement that updates messages, after its CTE `updated` (workspace_id, id, number, at, events): appends the events to the
 * history. Returns one row with the `ids`, none where no message was updated.
 */
export const HISTORY_OF_UPDATED = `, appended as (
     select array_agg(workspace_id) as workspace_ids, array_agg(id) as ids, array_agg(number) as numbers, array_agg(at) as ats,
            array_agg(events) as event_rows
     from updated
   )
   select ids, append_history(workspace_ids, ids, numbers, ats, event_rows) from appended where ids is not null`;

/** Executes a deletion of up to `rows` rows, a transaction each, until nothing is left, or `stopping` is true. */
export async function deleteInSteps(
  database: Database,
  deletion: Statement | string,
  values: readonly unknown[],
  { rows, stepsMax = Infinity, stopping }: { rows: number; stepsMax?: number; stopping: () => boolean },
): Promise<void> {
  for (let steps = 0; steps < stepsMax && !stopping(); steps += 1) {
    if ((await database.execute(deletion, values)) < rows) return;
  }
}
