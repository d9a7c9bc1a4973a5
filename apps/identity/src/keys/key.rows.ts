import type { KeyMode } from '@tidings/contracts/core/context';
import type { Transaction } from '@tidings/persistence/database';

export interface NewKey {
  id: string;
  workspaceId: string;
  hash: Buffer;
  mode: KeyMode;
}

/** API keys may do everything; issued tokens name their scopes. */
const ALL_SCOPES = ['*'];

/** The id of the inserted key, or `undefined` when a key of this hash is there already, whoever has it. */
export async function insertKey(tx: Transaction, { id, workspaceId, hash, mode }: NewKey): Promise<string | undefined> {
  const [row] = await tx.query<{ id: string }>(
    `insert into api_keys (id, workspace_id, hash, mode, scopes) values ($1, $2, $3, $4, $5)
     on conflict (hash) do nothing returning id`,
    [id, workspaceId, hash, mode, ALL_SCOPES],
  );
  return row?.id;
}
