import { statement, type Transaction } from '@tidings/persistence/database';

// SQL because one statement makes the sets of many lists and returns their ids; sets have no entity.
const INSERT = statement(
  'subscriber-sets-insert',
  'insert into subscriber_sets (workspace_id, list_id) select $1, list_id from unnest($2::text[]) list_id returning list_id, set_id',
);
const DROP = statement(
  'subscriber-sets-drop',
  'update subscriber_sets set dropped_at = now() where workspace_id = $1 and set_id = any($2)',
);
const REMOVE = statement('subscriber-sets-remove', 'delete from subscriber_sets where workspace_id = $1 and set_id = any($2)');

/** Creates an empty set per list; resolves with the set ids by list id. */
export async function makeSets(tx: Transaction, workspaceId: string, listIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx.query<{ list_id: string; set_id: string }>(INSERT, [workspaceId, listIds]);
  return new Map(rows.map(({ list_id, set_id }) => [list_id, set_id]));
}

/** Marks sets that no list uses any more: the sweeper removes them and their subscriptions. */
export async function dropSets(tx: Transaction, workspaceId: string, setIds: readonly string[]) {
  await tx.execute(DROP, [workspaceId, setIds]);
}

/** Removes sets that no list ever used. */
export async function removeUnusedSets(tx: Transaction, workspaceId: string, setIds: readonly string[]) {
  await tx.execute(REMOVE, [workspaceId, setIds]);
}
