import { unavailable } from '@tidings/contracts/core/errors';
import { statement, type Transaction } from '@tidings/persistence/database';
import { ATTEMPTS_MAX, makeLists } from './list-store';
import { dropSets } from './subscriber-sets';

/**
 * The sets of those of the lists that are there, held until the transaction ends: nobody takes them away meanwhile, though the list may
 * be deleted or point elsewhere by then, as it would have a moment later. Locks of this kind wait for none of their own, nor
 * for those who delete, restore or replace.
 */
const HOLD = statement(
  'subscriber-sets-hold',
  `select held.list_id, held.set_id from subscriber_sets held
    where held.workspace_id = $1 and held.dropped_at is null
      and held.set_id in (select set_id from lists where workspace_id = $1 and list_id = any($2) and deleted_at is null)
    order by held.set_id for key share`,
);
/** Under a lock of the list's row, so that what it points to stays what is read. */
const LOCK_LIST = statement(
  'subscriber-sets-lock-list',
  'select set_id from lists where workspace_id = $1 and list_id = $2 and deleted_at is null for no key update',
);
const POINT = statement('subscriber-sets-point', 'update lists set set_id = $3 where workspace_id = $1 and list_id = $2');

/**
 * The sets to which subscribers of these lists are added, by list id, held until the transaction ends. Lists that are not there are
 * made, with their id as name. @throws ServiceError `unavailable` when others make and delete them all the time.
 */
export async function openSets(tx: Transaction, workspaceId: string, listIds: readonly string[]): Promise<Map<string, string>> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const rows = await tx.query<{ list_id: string; set_id: string }>(HOLD, [workspaceId, listIds]);
    const sets = new Map(rows.map(({ list_id, set_id }) => [list_id, set_id]));
    const missing = listIds.filter((listId) => !sets.has(listId));
    if (missing.length === 0) return sets;
    await makeLists(
      tx,
      workspaceId,
      missing.map((listId) => ({ listId, name: listId, preferences: null })),
    );
  }
  throw unavailable(`List ${listIds[0]} is made and deleted by others all the time`);
}

/** From the commit on the list has the subscribers of this set and no others; a list that is not there is made. */
export async function pointToSet(tx: Transaction, workspaceId: string, listId: string, setId: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const [list] = await tx.query<{ set_id: string }>(LOCK_LIST, [workspaceId, listId]);
    if (list) {
      await tx.execute(POINT, [workspaceId, listId, setId]);
      await dropSets(tx, workspaceId, [list.set_id]);
      return;
    }
    await makeLists(tx, workspaceId, [{ listId, name: listId, preferences: null }]);
  }
  throw unavailable(`List ${listId} is made and deleted by others all the time`);
}
