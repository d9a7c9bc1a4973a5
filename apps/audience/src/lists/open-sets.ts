import { statement, type Transaction } from '@tidings/persistence/database';
import { makeLists, untilWritten } from './list-store';
import { dropSets } from './subscriber-sets';

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
const POINT = statement('subscriber-sets-point', 'update lists set set_id = $3 where workspace_id = $1 and list_id = $2');

/**
 * The subscriber sets of these lists by list id, locked until the transaction ends. Missing lists are created, with their id as name.
 * @throws ServiceError `unavailable` after `ATTEMPTS_MAX` attempts.
 */
export async function openSets(tx: Transaction, workspaceId: string, listIds: readonly string[]): Promise<Map<string, string>> {
  return untilWritten(listIds[0]!, async () => {
    const rows = await tx.query<{ list_id: string; set_id: string }>(LOCK_SETS, [workspaceId, listIds]);
    const sets = new Map(rows.map(({ list_id, set_id }) => [list_id, set_id]));
    const missing = listIds.filter((listId) => !sets.has(listId));
    return missing.length === 0 ? sets : makeMissing(tx, workspaceId, missing);
  });
}

/** Creates lists with their id as name; false, as the attempt is not finished. */
async function makeMissing(tx: Transaction, workspaceId: string, listIds: readonly string[]): Promise<false> {
  const lists = listIds.map((listId) => ({ listId, name: listId, preferences: null }));
  await makeLists(tx, workspaceId, lists);
  return false;
}

/** Makes this set the list's only one from the commit on. A missing list is created. */
export async function pointToSet(tx: Transaction, workspaceId: string, listId: string, setId: string): Promise<void> {
  await untilWritten(listId, async () => {
    const [list] = await tx.query<{ set_id: string }>(LOCK_LIST, [workspaceId, listId]);
    if (!list) return makeMissing(tx, workspaceId, [listId]);
    await tx.execute(POINT, [workspaceId, listId, setId]);
    await dropSets(tx, workspaceId, [list.set_id]);
    return true;
  });
}
