import { statement, type Transaction } from '@tidings/persistence/database';
import { Raw } from 'typeorm';
import { ListEntity } from '../lists/list.entity';

/**
 * Matches the set of a list, for `setId`. Within one statement: between two the set could be removed. A join would sort all
 * subscribers for one page.
 */
export const setOfList = (workspaceId: string, listId: string) =>
  Raw(
    (column) => `${column} = (select set_id from lists where workspace_id = :listWorkspace and list_id = :listId and deleted_at is null)`,
    { listWorkspace: workspaceId, listId },
  );

// SQL because one statement inserts thousands of rows.
const ADD = statement(
  'subscriptions-add',
  `insert into subscriptions (workspace_id, set_id, list_id, user_id, preferences)
   select $1, $2, $3, entry.user_id, entry.preferences::jsonb
     from unnest($4::text[], $5::text[]) with ordinality as entry (user_id, preferences, ordinal)
    order by entry.ordinal
   on conflict (workspace_id, set_id, user_id) do nothing`,
);
/** Users of the list's previous set ($6) keep their date. */
const FILL = statement(
  'subscriptions-fill',
  `insert into subscriptions (workspace_id, set_id, list_id, user_id, preferences, created_at)
   select $1, $2, $3, entry.user_id, entry.preferences::jsonb, coalesce(before.created_at, now())
     from unnest($4::text[], $5::text[]) with ordinality as entry (user_id, preferences, ordinal)
     left join lateral (select created_at from subscriptions
                         where workspace_id = $1 and set_id = $6 and user_id = entry.user_id limit 1) before on true
    order by entry.ordinal`,
);
// SQL because it locks the rows in key order before it deletes them.
/** Also of deleted lists: restoring a list must not bring back users who left meanwhile. */
const REMOVE_ALL = statement(
  'subscriptions-remove-all',
  `with locked as materialized (
     select set_id from subscriptions where workspace_id = $1 and user_id = $2 order by list_id, set_id for update)
   delete from subscriptions where workspace_id = $1 and user_id = $2 and set_id in (select set_id from locked)`,
);

/** Ends every subscription of a user. Resolves with their number. */
export function removeAllSubscriptions(tx: Transaction, workspaceId: string, userId: string) {
  return tx.execute(REMOVE_ALL, [workspaceId, userId]);
}

/** One subscriber set of a list. */
interface SetKey {
  workspaceId: string;
  listId: string;
  setId: string;
}

/** Subscribers, each once, in the order in which all writers lock them; preferences as JSON text. */
export type StorableSubscribers = readonly (readonly [userId: string, preferences: string | null])[];

/** Rows of one insert: a statement never runs for seconds, however large the call. */
const CHUNK = 10_000;

/** Adds the users who are not subscribed yet; existing subscriptions stay unchanged. */
export async function addSubscribers(tx: Transaction, key: SetKey, subscribers: StorableSubscribers) {
  for (const values of valuesOf(key, subscribers)) await tx.execute(ADD, values);
}

/** Fills an empty set; users of the list's current set keep the date of their subscription. */
export async function fillSet(tx: Transaction, key: SetKey, subscribers: StorableSubscribers) {
  const list = { workspaceId: key.workspaceId, id: key.listId };
  const current = await tx.manager.findOne(ListEntity, { select: { setId: true }, where: list });
  for (const values of valuesOf(key, subscribers)) await tx.execute(FILL, [...values, current?.setId ?? null]);
}

/** The values of each insert. */
function* valuesOf({ workspaceId, setId, listId }: SetKey, subscribers: StorableSubscribers) {
  for (let index = 0; index < subscribers.length; index += CHUNK) {
    const chunk = subscribers.slice(index, index + CHUNK);
    yield [workspaceId, setId, listId, chunk.map(([userId]) => userId), chunk.map(([, preferences]) => preferences)];
  }
}
