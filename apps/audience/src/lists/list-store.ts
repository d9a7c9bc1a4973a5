import { patternsOfListId } from '@tidings/contracts/audience/list-ids';
import { unavailable } from '@tidings/contracts/core/errors';
import type { RecipientPreferences } from '@tidings/contracts/core/preferences';
import { columnsOf } from '@tidings/persistence/columns-of';
import { statement, type Transaction, transactionOf } from '@tidings/persistence/database';
import { type EntityManager, IsNull } from 'typeorm';
import { ListEntity } from './list.entity';
import { dropSets, makeSets, removeUnusedSets } from './subscriber-sets';

interface NewList {
  listId: string;
  name: string;
  preferences: RecipientPreferences | null;
}

/** Attempts to write a list that other calls delete and create at the same time. */
const ATTEMPTS_MAX = 5;

const LOCK_SOME = statement(
  'lists-lock-some',
  `select list_id, set_id, deleted_at is not null as deleted from lists
    where workspace_id = $1 and list_id = any($2) order by list_id for no key update`,
);
/** Rows in key order: all writers of this table lock in that order. */
const INSERT = statement(
  'lists-insert',
  `insert into lists (workspace_id, list_id, name, preferences, set_id)
   select $1, entry.list_id collate "C", entry.name, entry.preferences::jsonb, entry.set_id
     from unnest($2::text[], $3::text[], $4::text[], $5::bigint[]) as entry (list_id, name, preferences, set_id)
    order by 2
   on conflict (workspace_id, list_id) do nothing
   returning list_id`,
);
const RECREATE = statement(
  'lists-recreate',
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

/** Repeats an attempt that concurrent calls may thwart. @throws ServiceError `unavailable` after `ATTEMPTS_MAX` attempts. */
export async function untilWritten<Result>(listId: string, attempt: () => Promise<Result | false>): Promise<Result> {
  for (let count = 0; count < ATTEMPTS_MAX; count += 1) {
    const result = await attempt();
    if (result !== false) return result;
  }
  throw unavailable(`List ${listId} is created and deleted by concurrent calls: try again`);
}

/** Sets name and preferences of a list, or creates it. @throws ServiceError `unavailable` after `ATTEMPTS_MAX` attempts. */
export async function putList(tx: EntityManager, workspaceId: string, list: NewList): Promise<void> {
  const { listId: id, name, preferences } = list;
  const key = { workspaceId, id, deletedAt: IsNull() };
  await untilWritten(id, async () => {
    const { affected } = await tx.update(ListEntity, key, { name, preferences, updatedAt: () => 'now()' });
    return Boolean(affected) || (await makeLists(transactionOf(tx), workspaceId, [list])) > 0;
  });
}

/**
 * Creates the missing ones of these lists, without subscribers; resolves with their number. A deleted list is created again and can no
 * longer be restored: its old subscribers must not return because its id is used again.
 */
export async function makeLists(tx: Transaction, workspaceId: string, wanted: readonly NewList[]): Promise<number> {
  const ids = wanted.map(({ listId }) => listId);
  const existing = await tx.query<{ list_id: string; set_id: string; deleted: boolean }>(LOCK_SOME, [workspaceId, ids]);
  const present = new Set(existing.filter(({ deleted }) => !deleted).map(({ list_id }) => list_id));
  const missing = wanted.filter(({ listId }) => !present.has(listId));
  if (missing.length === 0) return 0;

  const sets = await makeSets(
    tx,
    workspaceId,
    missing.map(({ listId }) => listId),
  );
  const deleted = new Map(existing.filter((row) => row.deleted).map(({ list_id, set_id }) => [list_id, set_id]));
  const valuesOf = (some: readonly NewList[]): unknown[] => [
    workspaceId,
    ...columnsOf(some, 'listId', 'name'),
    some.map(({ preferences }) => preferences && JSON.stringify(preferences)),
    some.map(({ listId }) => sets.get(listId)),
  ];
  const again = missing.filter(({ listId }) => deleted.has(listId));
  if (again.length > 0) {
    await tx.execute(RECREATE, valuesOf(again));
    await dropSets(tx, workspaceId, [...deleted.values()]);
  }
  const inserted = await tx.query<{ list_id: string }>(INSERT, valuesOf(missing.filter(({ listId }) => !deleted.has(listId))));
  const created = [...again.map(({ listId }) => listId), ...inserted.map(({ list_id }) => list_id)];
  if (created.length < missing.length) {
    const unused = missing.filter(({ listId }) => !created.includes(listId)).map(({ listId }) => sets.get(listId)!);
    await removeUnusedSets(tx, workspaceId, unused);
  }
  await addPatterns(tx.manager, workspaceId, created);
  return created.length;
}

/** Inserts the patterns that the lists match. The caller has locked the lists' rows. */
export async function addPatterns(manager: EntityManager, workspaceId: string, listIds: readonly string[]): Promise<void> {
  const pairs = listIds.flatMap((listId) => patternsOfListId(listId).map((pattern) => ({ pattern, listId })));
  if (pairs.length === 0) return;
  await transactionOf(manager).execute(ADD_PATTERNS, [workspaceId, ...columnsOf(pairs, 'pattern', 'listId')]);
}
