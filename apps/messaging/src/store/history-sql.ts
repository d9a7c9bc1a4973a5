/**
 * In `returning` of an update of `messages`: when its last event happened before the update. A subquery sees the row as it was;
 * whoever may meet another writer of the message holds its lock before.
 */
export const LAST_EVENT_BEFORE =
  '(select before.last_event_at from messages before where before.workspace_id = messages.workspace_id and before.id = messages.id)';

/**
 * The end of a statement that updates messages, behind its `updated` (workspace_id, id, number, at, events): their events become
 * history. Answers one row with the `ids`, none where no message was updated.
 */
export const HISTORY_OF_UPDATED = `, kept as (
     select array_agg(workspace_id) as workspace_ids, array_agg(id) as ids, array_agg(number) as numbers, array_agg(at) as ats,
            array_agg(events) as event_rows
     from updated
   )
   select ids, append_history(workspace_ids, ids, numbers, ats, event_rows) from kept where ids is not null`;
