import { patternsOfListId } from '@tidings/contracts/audience/list-ids';
import { unavailable } from '@tidings/contracts/core/errors';
import type { RecipientPreferences } from '@tidings/contracts/core/preferences';
import { statement, type Transaction, transactionOf } from '@tidings/persistence/database';
import { type EntityManager, IsNull } from 'typeorm';
import { ListEntity } from './list.entity';
import { dropSets, makeSets, removeUnusedSets } from './subscriber-sets';

interface NewList {
  listId: string;
  name: string;
  preferences: RecipientPreferences | null;
}

/** How often a list may be deleted, or made by others, while we look; then we give up. */
export const ATTEMPTS_MAX = 5;

const LOCK_SOME = statement(
  'lists-lock-some',
  `select list_id, set_id, deleted_at is not null as deleted from lists
    where workspace_id = $1 and list_id = any($2) order by list_id for no key update`,
);
/** In the order of the key, as everybody locks rows of this table. */
const INSERT = statement(
  'lists-insert',
  `insert into lists (workspace_id, list_id, name, preferences, set_id)
   select $1, entry.list_id collate "C", entry.name, entry.preferences::jsonb, entry.set_id
     from unnest($2::text[], $3::text[], $4::text[], $5::bigint[]) as entry (list_id, name, preferences, set_id)
    order by 2
   on conflict (workspace_id, list_id) do nothing
   returning list_id`,
);
const MAKE_ANEW = statement(
  'lists-make-anew',
  `update lists set name = entry.name, preferences = entry.preferences::jsonb, set_id = entry.set_id,
                    created_at = now(), updated_at = now(), deleted_at = null
     from unnest($2::text[], $3::text[], $4::text[], $5::bigint[]) as entry (list_id, name, preferences, set_id)
    where lists.workspace_id = $1 and lists.list_id = entry.list_id`,
);
const ADD_PATTERNS = statement(
  'lists-add-patterns',
  `insert into list_patterns (workspace_id, pattern, list_id)
   select $1, entry.pattern, entry.list_id from unnest($2::text[], $3::text[]) as entry (pattern, list_id)
   on conflict do nothing`,
);
/** Gives the list this name and these preferences; makes it where it is not there. */
export async function putList(tx: EntityManager, workspaceId: string, list: NewList): Promise<void> {
  const { listId: id, name, preferences } = list;
  const key = { workspaceId, id, deletedAt: IsNull() };
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const { affected } = await tx.update(ListEntity, key, { name, preferences, updatedAt: () => 'now()' });
    if (affected || (await makeLists(transactionOf(tx), workspaceId, [list])) > 0) return;
  }
  throw unavailable(`List ${list.listId} is made and deleted by others all the time`);
}

/**
 * Makes lists without subscribers, those that are there aside: how many were made. One that was deleted is made anew, and what it
 * was cannot be restored any more: whoever deleted a list must not meet its subscribers again because somebody used its id.
 */
export async function makeLists(tx: Transaction, workspaceId: string, wanted: readonly NewList[]): Promise<number> {
  const ids = wanted.map(({ listId }) => listId);
  const held = await tx.query<{ list_id: string; set_id: string; deleted: boolean }>(LOCK_SOME, [workspaceId, ids]);
  const there = new Set(held.filter(({ deleted }) => !deleted).map(({ list_id }) => list_id));
  const missing = wanted.filter(({ listId }) => !there.has(listId));
  if (missing.length === 0) return 0;

  const sets = await makeSets(
    tx,
    workspaceId,
    missing.map(({ listId }) => listId),
  );
  const deleted = new Map(held.filter((row) => row.deleted).map(({ list_id, set_id }) => [list_id, set_id]));
  const valuesOf = (some: readonly NewList[]): unknown[] => [
    workspaceId,
    some.map(({ listId }) => listId),
    some.map(({ name }) => name),
    some.map(({ preferences }) => preferences && JSON.stringify(preferences)),
    some.map(({ listId }) => sets.get(listId)),
  ];
  const again = missing.filter(({ listId }) => deleted.has(listId));
  if (again.length > 0) {
    await tx.execute(MAKE_ANEW, valuesOf(again));
    await dropSets(tx, workspaceId, [...deleted.values()]);
  }
  const inserted = await tx.query<{ list_id: string }>(INSERT, valuesOf(missing.filter(({ listId }) => !deleted.has(listId))));
  const made = [...again.map(({ listId }) => listId), ...inserted.map(({ list_id }) => list_id)];
  if (made.length < missing.length) {
    const unused = missing.filter(({ listId }) => !made.includes(listId)).map(({ listId }) => sets.get(listId)!);
    await removeUnusedSets(tx, workspaceId, unused);
  }
  await addPatterns(tx.manager, workspaceId, made);
  return made.length;
}

/** Under a lock of the lists' rows. */
export async function addPatterns(manager: EntityManager, workspaceId: string, listIds: readonly string[]): Promise<void> {
  const pairs = listIds.flatMap((listId) => patternsOfListId(listId).map((pattern) => ({ pattern, listId })));
  if (pairs.length === 0) return;
  await transactionOf(manager).execute(ADD_PATTERNS, [workspaceId, pairs.map(({ pattern }) => pattern), pairs.map(({ listId }) => listId)]);
}
