import { patternsOfListId } from '@tidings/contracts/audience/list-ids';
import { unavailable } from '@tidings/contracts/core/errors';
import type { RecipientPreferences } from '@tidings/contracts/core/preferences';
import { columnsOf } from '@tidings/persistence/columns-of';
import { statement, type Transaction, transactionOf } from '@tidings/persistence/database';
import { type Counted, countForQuota, type QuotaOwner } from '@tidings/persistence/quotas';
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

// SQL because one statement locks or writes many lists, in the order of their keys.
const LOCK_SOME = statement(
  'lists-lock-some',
  `select list_id, case when deleted_at is not null then set_id end as dropped_set from lists
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
/** Not the deleted ones. */
export const STORED_LISTS: Counted = {
  name: 'lists',
  count: statement(
    'lists-count',
    'select count(*) as count from (select 1 from lists where workspace_id = $1 and deleted_at is null limit $2) found',
  ),
};
const ADD_PATTERNS = statement(
  'lists-add-patterns',
  `insert into list_patterns (workspace_id, pattern, list_id)
   select $1, entry.pattern, entry.list_id from unnest($2::text[], $3::text[]) as entry (pattern, list_id)
   on conflict do nothing`,
);

/**
 * The sets of the existing lists, locked until the transaction ends: the sweeper does not remove them. Their lists may still be deleted or
 * get another set. These locks wait neither for each other nor for calls that delete, restore or replace.
 */
const LOCK_SETS = statement(
  'subscriber-sets-lock',
  `select sets.list_id, sets.set_id from subscriber_sets sets
    where sets.workspace_id = $1 and sets.dropped_at is null
      and sets.set_id in (select set_id from lists where workspace_id = $1 and list_id = any($2) and deleted_at is null)
    order by sets.set_id for key share`,
);
/** Locks the list's row, so that its set stays the one that is read. */
const LOCK_LIST = statement(
  'subscriber-sets-lock-list',
  'select set_id from lists where workspace_id = $1 and list_id = $2 and deleted_at is null for no key update',
);

/** Repeats an attempt that concurrent calls may thwart. @throws ServiceError `unavailable` after `ATTEMPTS_MAX` attempts. */
async function untilWritten<Result>(listId: string, attempt: () => Promise<Result | false>): Promise<Result> {
  for (let count = 0; count < ATTEMPTS_MAX; count += 1) {
    const result = await attempt();
    if (result !== false) return result;
  }
  throw unavailable(`List ${listId} is created and deleted by concurrent calls: try again`);
}

/** Sets name and preferences of a list, or creates it. @throws ServiceError `unavailable` after `ATTEMPTS_MAX` attempts, or as `countForQuota`. */
export async function putList(tx: EntityManager, owner: QuotaOwner, list: NewList) {
  const { workspaceId } = owner;
  const { listId: id, name, preferences } = list;
  const key = { workspaceId, id, deletedAt: IsNull() };
  await untilWritten(id, async () => {
    const { affected } = await tx.update(ListEntity, key, { name, preferences, updatedAt: () => 'now()' });
    return Boolean(affected) || (await makeLists(transactionOf(tx), owner, [list])) > 0;
  });
}

/**
 * Creates the missing ones of these lists, without subscribers; resolves with their number. A deleted list is created again and can no
 * longer be restored: its old subscribers must not return because its id is used again.
 */
async function makeLists(tx: Transaction, owner: QuotaOwner, wanted: readonly NewList[]) {
  const { workspaceId } = owner;
  const rows = await tx.query<{ list_id: string; dropped_set: string | null }>(LOCK_SOME, [workspaceId, ...columnsOf(wanted, 'listId')]);
  /** The set of each deleted list; `null` for lists that exist. */
  const droppedSets = new Map(rows.map(({ list_id, dropped_set }) => [list_id, dropped_set]));
  const missing = wanted.filter(({ listId }) => droppedSets.get(listId) !== null);
  if (missing.length === 0) return 0;

  const sets = await makeSets(
    tx,
    workspaceId,
    missing.map(({ listId }) => listId),
  );
  const valuesOf = (some: readonly NewList[]) => [
    workspaceId,
    ...columnsOf(some, 'listId', 'name'),
    some.map(({ preferences }) => preferences && JSON.stringify(preferences)),
    some.map(({ listId }) => sets.get(listId)),
  ];
  const again = missing.filter(({ listId }) => droppedSets.has(listId));
  if (again.length > 0) {
    await tx.execute(RECREATE, valuesOf(again));
    await dropSets(
      tx,
      workspaceId,
      [...droppedSets.values()].filter((setId) => setId !== null),
    );
  }
  const inserted = await tx.query<{ list_id: string }>(INSERT, valuesOf(missing.filter(({ listId }) => !droppedSets.has(listId))));
  const created = [...again.map(({ listId }) => listId), ...inserted.map(({ list_id }) => list_id)];
  if (created.length < missing.length) {
    const unused = missing.filter(({ listId }) => !created.includes(listId)).map(({ listId }) => sets.get(listId)!);
    await removeUnusedSets(tx, workspaceId, unused);
  }
  await addPatterns(tx.manager, workspaceId, created);
  await countForQuota(tx, owner, STORED_LISTS, created.length);
  return created.length;
}

/** Inserts the patterns that the lists match. The caller has locked the lists' rows. */
export async function addPatterns(manager: EntityManager, workspaceId: string, listIds: readonly string[]) {
  const pairs = listIds.flatMap((listId) => patternsOfListId(listId).map((pattern) => ({ pattern, listId })));
  if (pairs.length === 0) return;
  await transactionOf(manager).execute(ADD_PATTERNS, [workspaceId, ...columnsOf(pairs, 'pattern', 'listId')]);
}

/**
 * The subscriber sets of these lists by list id, locked until the transaction ends. Missing lists are created, with their id as name.
 * @throws ServiceError `unavailable` after `ATTEMPTS_MAX` attempts, or as `countForQuota`.
 */
export async function openSets(tx: Transaction, owner: QuotaOwner, listIds: readonly string[]): Promise<Map<string, string>> {
  return untilWritten(listIds[0]!, async () => {
    const rows = await tx.query<{ list_id: string; set_id: string }>(LOCK_SETS, [owner.workspaceId, listIds]);
    const sets = new Map(rows.map(({ list_id, set_id }) => [list_id, set_id]));
    const missing = listIds.filter((listId) => !sets.has(listId));
    return missing.length === 0 ? sets : makeMissing(tx, owner, missing);
  });
}

/** Creates lists with their id as name; false, as the attempt is not finished. */
async function makeMissing(tx: Transaction, owner: QuotaOwner, listIds: readonly string[]): Promise<false> {
  const lists = listIds.map((listId) => ({ listId, name: listId, preferences: null }));
  await makeLists(tx, owner, lists);
  return false;
}

/** Makes this set the list's only one from the commit on. A missing list is created. */
export async function pointToSet(tx: Transaction, owner: QuotaOwner, listId: string, setId: string) {
  const { workspaceId } = owner;
  await untilWritten(listId, async () => {
    const [list] = await tx.query<{ set_id: string }>(LOCK_LIST, [workspaceId, listId]);
    if (!list) return makeMissing(tx, owner, [listId]);
    await tx.manager.update(ListEntity, { workspaceId, id: listId }, { setId });
    await dropSets(tx, workspaceId, [list.set_id]);
    return true;
  });
}
