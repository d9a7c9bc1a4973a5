import { randomUUID } from 'node:crypto';
import type { KeyMode } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { VerifiedKey } from '@tidings/contracts/identity/keys';
import { type KeySummary, KEYS_PER_WORKSPACE_MAX } from '@tidings/contracts/identity/managed-keys';
import { EVERYTHING } from '@tidings/contracts/scopes';
import { statement, type Transaction } from '@tidings/persistence/database';
import { hashApiKey } from './api-key';

/** SQL: the key opens its workspace. A rotated key ends at `valid_until`, without a write. */
export const IS_VALID = '(key.revoked_at is null and (key.valid_until is null or key.valid_until > now()))';

/** SQL that selects `VerifiedKeyRow`s; the caller adds the condition. */
export const SELECT_VERIFIED = `
  select key.id as key_id, key.workspace_id, workspace.account_email, key.mode, key.scopes,
         (extract(epoch from key.valid_until) * 1000)::float8 as valid_until
    from api_keys key join workspaces workspace on workspace.id = key.workspace_id`;

export interface VerifiedKeyRow extends Omit<VerifiedKey, 'valid_until'> {
  valid_until: number | null;
}

export function toVerifiedKey({ valid_until, ...key }: VerifiedKeyRow): VerifiedKey {
  return valid_until === null ? key : { ...key, valid_until: Math.floor(valid_until) };
}

export interface KeyRow {
  id: string;
  name: string | null;
  mode: KeyMode;
  scopes: string[];
  hint: string | null;
  created_at: Date;
  valid_until: Date | null;
  revoked_at: Date | null;
}

export const KEY_COLUMNS = 'id, name, mode, scopes, hint, created_at, valid_until, revoked_at';

/** @param now in ms since the epoch: decides whether a rotated key has ended. */
export function toKeySummary({ id, name, mode, scopes, hint, created_at, valid_until, revoked_at }: KeyRow, now: number): KeySummary {
  const ended = revoked_at ?? (valid_until !== null && valid_until.getTime() <= now ? valid_until : null);
  return {
    key_id: id,
    ...(name !== null && { name }),
    mode,
    scopes,
    ...(hint !== null && { hint }),
    status: ended ? 'revoked' : valid_until ? 'ending' : 'active',
    created_at: created_at.toISOString(),
    ...(valid_until !== null && { valid_until: valid_until.toISOString() }),
    ...(ended && { revoked_at: ended.toISOString() }),
  };
}

export interface NewKey {
  workspaceId: string;
  key: string;
  mode: KeyMode;
  name?: string | null;
  /** Default: everything. */
  scopes?: readonly string[] | null;
}

const HINT_LENGTH = 4;
/** No hint for shorter keys, which operators choose: four characters would reveal too much. */
const HINTED_LENGTH_MIN = 16;

const INSERT = statement(
  'keys-insert',
  `insert into api_keys (id, workspace_id, hash, mode, scopes, name, hint) values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (hash) do nothing returning id`,
);

/** The id of the inserted key; `undefined` when a key with this hash exists, in any workspace. */
export async function insertKey(tx: Transaction, { workspaceId, key, mode, name, scopes }: NewKey): Promise<string | undefined> {
  const hint = key.length >= HINTED_LENGTH_MIN ? key.slice(-HINT_LENGTH) : null;
  const [row] = await tx.query<{ id: string }>(INSERT, [
    randomUUID(),
    workspaceId,
    hashApiKey(key),
    mode,
    [...new Set(scopes ?? [EVERYTHING])],
    name ?? null,
    hint,
  ]);
  return row?.id;
}

const LOCK_WORKSPACE = statement('workspaces-lock', 'select id from workspaces where id = $1 for no key update');

const VALID_IDS = statement(
  'keys-valid-ids',
  `select key.id from api_keys key where key.workspace_id = $1 and ${IS_VALID} order by key.created_at desc, key.id desc limit $2`,
);

/** The ids of a workspace's valid keys, newest first. */
export async function validKeyIds(tx: Transaction, workspaceId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(VALID_IDS, [workspaceId, KEYS_PER_WORKSPACE_MAX + 1]);
  return rows.map(({ id }) => id);
}

/**
 * Locks the workspace's row against concurrent key creations, so that the count of its keys stays exact.
 * @throws ServiceError `not_found`, or `conflict` when the workspace has `KEYS_PER_WORKSPACE_MAX` valid keys.
 */
export async function lockForNewKey(tx: Transaction, workspaceId: string): Promise<void> {
  const [workspace] = await tx.query(LOCK_WORKSPACE, [workspaceId]);
  if (!workspace) throw new ServiceError('not_found', `Workspace ${workspaceId} does not exist`);
  if ((await validKeyIds(tx, workspaceId)).length >= KEYS_PER_WORKSPACE_MAX) {
    throw new ServiceError('conflict', `Workspace ${workspaceId} has ${KEYS_PER_WORKSPACE_MAX} API keys: revoke one first`, {
      shouldRetry: false,
    });
  }
}
