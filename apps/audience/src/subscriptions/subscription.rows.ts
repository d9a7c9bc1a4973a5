import type { RecipientPreferences } from '@tidings/contracts/core/preferences';
import type { Subscription } from '@tidings/contracts/audience/subscriptions';
import { statement, type Transaction } from '@tidings/persistence/database';

export interface SubscriptionRow {
  user_id: string;
  preferences: RecipientPreferences | null;
  created_at: Date;
}

/**
 * After the user of this id; every id comes after the empty text. To which set the list points is read by the same statement: between
 * two of them the set may be taken away.
 */
export const SUBSCRIBERS_PAGE = statement(
  'subscriptions-page',
  `select user_id, preferences, created_at from subscriptions
    where workspace_id = $1 and user_id > $3
      and set_id = (select set_id from lists where workspace_id = $1 and list_id = $2 and deleted_at is null)
    order by user_id limit $4`,
);

export function toSubscription({ user_id, preferences, created_at }: SubscriptionRow): Subscription {
  return { recipientId: user_id, created: created_at.toISOString(), ...(preferences !== null && { preferences }) };
}

const ADD = statement(
  'subscriptions-add',
  `insert into subscriptions (workspace_id, set_id, list_id, user_id, preferences)
   select $1, $2, $3, entry.user_id, entry.preferences::jsonb
     from unnest($4::text[], $5::text[]) with ordinality as entry (user_id, preferences, place)
    order by entry.place
   on conflict (workspace_id, set_id, user_id) do nothing`,
);
/** Who was in the set before keeps the date. */
const FILL = statement(
  'subscriptions-fill',
  `insert into subscriptions (workspace_id, set_id, list_id, user_id, preferences, created_at)
   select $1, $2, $3, entry.user_id, entry.preferences::jsonb, coalesce(before.created_at, now())
     from unnest($4::text[], $5::text[]) with ordinality as entry (user_id, preferences, place)
     left join lateral (select created_at from subscriptions
                         where workspace_id = $1 and set_id = $6 and user_id = entry.user_id limit 1) before on true
    order by entry.place`,
);
const PUT = statement(
  'subscriptions-put',
  `insert into subscriptions (workspace_id, set_id, list_id, user_id, preferences) values ($1, $2, $3, $4, $5)
   on conflict (workspace_id, set_id, user_id) do update set preferences = excluded.preferences`,
);
const REMOVE = statement(
  'subscriptions-remove',
  `delete from subscriptions
    where workspace_id = $1 and user_id = $3
      and set_id = (select set_id from lists where workspace_id = $1 and list_id = $2 and deleted_at is null)`,
);
const SET_OF_LIST = statement(
  'subscriptions-set-of-list',
  'select set_id from lists where workspace_id = $1 and list_id = $2 and deleted_at is null',
);

/** Those of deleted lists too: a list that is restored must not bring back who left meanwhile. */
const REMOVE_ALL = statement(
  'subscriptions-remove-all',
  `with held as materialized (
     select set_id from subscriptions where workspace_id = $1 and user_id = $2 order by list_id, set_id for update)
   delete from subscriptions where workspace_id = $1 and user_id = $2 and set_id in (select set_id from held)`,
);

/** Ends every subscription of a user; how many there were. */
export function removeAllSubscriptions(tx: Transaction, workspaceId: string, userId: string): Promise<number> {
  return tx.execute(REMOVE_ALL, [workspaceId, userId]);
}

/** The subscribers of a list in the making, or a part of them. */
interface SetPlace {
  workspaceId: string;
  listId: string;
  setId: string;
}

/** Subscribers, each once, in the order in which everybody locks them, with their preferences as JSON text. */
export type StorableSubscribers = readonly (readonly [userId: string, preferences: string | null])[];

/** One statement inserts so many: none runs for seconds, whatever the call holds. */
const CHUNK = 10_000;

/** Adds those who are not there; those who are stay as they are. */
export async function addSubscribers(tx: Transaction, place: SetPlace, subscribers: StorableSubscribers): Promise<void> {
  for (const chunk of chunksOf(subscribers)) await tx.execute(ADD, valuesOf(place, chunk));
}

/** Fills an empty set; who was in the list's present set keeps the date of the subscription. */
export async function fillSet(tx: Transaction, place: SetPlace, subscribers: StorableSubscribers): Promise<void> {
  const [present] = await tx.query<{ set_id: string }>(SET_OF_LIST, [place.workspaceId, place.listId]);
  for (const chunk of chunksOf(subscribers)) await tx.execute(FILL, [...valuesOf(place, chunk), present?.set_id ?? null]);
}

export async function putSubscriber(
  tx: Transaction,
  { workspaceId, listId, setId }: SetPlace,
  userId: string,
  preferences: string | null,
): Promise<void> {
  await tx.execute(PUT, [workspaceId, setId, listId, userId, preferences]);
}

/** False where the list is not there, or the user not on it. */
export async function removeSubscriber(tx: Transaction, workspaceId: string, listId: string, userId: string): Promise<boolean> {
  return (await tx.execute(REMOVE, [workspaceId, listId, userId])) > 0;
}

function* chunksOf(subscribers: StorableSubscribers): Generator<StorableSubscribers> {
  for (let index = 0; index < subscribers.length; index += CHUNK) yield subscribers.slice(index, index + CHUNK);
}

function valuesOf({ workspaceId, setId, listId }: SetPlace, subscribers: StorableSubscribers): unknown[] {
  return [workspaceId, setId, listId, subscribers.map(([userId]) => userId), subscribers.map(([, preferences]) => preferences)];
}
