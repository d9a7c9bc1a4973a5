import { type Database, statement } from '@tidings/persistence/database';

/** Rows of one short transaction. */
const ROWS_MAX = 5_000;

// SQL because workers skip discards that others have locked, and remove their members in bounded steps.
const NEXT = statement(
  'audience-discards-next',
  'select workspace_id, membership from audience_discards order by workspace_id, membership limit 1 for update skip locked',
);

const REMOVE = statement(
  'audience-members-remove-some',
  `delete from audience_members where workspace_id = $1 and membership = $2 and user_id = any(array(
     select user_id from audience_members where workspace_id = $1 and membership = $2 order by user_id limit $3))`,
);

const DONE = statement('audience-discards-done', 'delete from audience_discards where workspace_id = $1 and membership = $2');

/** Removes some rows of discarded memberships; false where there are none or other workers have locked them. */
export async function removeDiscarded(database: Database) {
  return database.transaction(async (tx) => {
    const [next] = await tx.query<{ workspace_id: string; membership: string }>(NEXT);
    if (!next) return false;
    const removed = await tx.execute(REMOVE, [next.workspace_id, next.membership, ROWS_MAX]);
    if (removed < ROWS_MAX) await tx.execute(DONE, [next.workspace_id, next.membership]);
    return true;
  });
}
