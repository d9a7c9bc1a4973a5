import { createHmac, randomBytes } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { ERASED_ADDRESS_PREFIX } from '@tidings/contracts/messaging/suppression-address';
import { Database, type Queryable, statement } from '@tidings/persistence/database';
import type { ResealedRows } from '@tidings/runtime/reseal';
import { KeyRing, seal } from '@tidings/runtime/secret-box';

/** A workspace that suppresses, with the key of its hashes in the form of the row. */
interface SealedKey {
  readonly workspaceId: string;
  /** Sealed with the key that `keyId` names; in the clear where that is `null`. `null`: the workspace has no erased address. */
  readonly hashKey: Buffer | null;
  readonly keyId: string | null;
}

const KEY_BYTES = 32;
const PAGE_SIZE = 200;
const BEFORE_FIRST = '00000000-0000-0000-0000-000000000000';

// SQL because the table is one column of keys, and on the path of messages whose workspace is not cached.
const COLUMNS = 'workspace_id as "workspaceId", hash_key as "hashKey", key_id as "keyId"';
const LOAD = statement('messaging.load_suppressing', `select ${COLUMNS} from suppressing_workspaces where workspace_id = any ($1)`);
const LOCK = statement('messaging.lock_suppressing', `select ${COLUMNS} from suppressing_workspaces where workspace_id = $1 for update`);
const STORE = statement('messaging.store_hash_key', 'update suppressing_workspaces set hash_key = $2, key_id = $3 where workspace_id = $1');
const OTHERS = statement(
  'messaging.hash_keys_after',
  `select ${COLUMNS} from suppressing_workspaces where workspace_id > $1 and hash_key is not null order by workspace_id limit ${PAGE_SIZE}`,
);
const RESEAL = statement(
  'messaging.reseal_hash_key',
  'update suppressing_workspaces set hash_key = $2, key_id = $3 where workspace_id = $1 and hash_key = $4',
);

/** The name under which the key of a workspace is sealed: it opens only with it. */
const nameOf = (workspaceId: string) => `suppressions ${workspaceId}`;

/** What is known of a workspace that suppresses. */
export interface Suppressing {
  /** The hash of an erased address; absent where the workspace has none. */
  readonly hashOf?: (channel: string, address: string) => string;
}

/**
 * The keyed hashes of erased addresses. Each workspace has a random key of its own, drawn at its first erasure: unlike one derived from
 * `TIDINGS_SECRET_KEY` it stays the same when that is rotated, since nothing could be hashed anew.
 */
@Injectable()
export class SuppressionHashes {
  private readonly logger = new Logger(SuppressionHashes.name);

  constructor(
    private readonly database: Database,
    private readonly ring: KeyRing,
  ) {}

  /** Those of these workspaces that suppress. @param connection that of the caller's transaction, if it is in one. */
  async load(workspaceIds: readonly string[], connection: Queryable = this.database): Promise<Map<string, Suppressing>> {
    const rows = await connection.query<SealedKey>(LOAD, [workspaceIds]);
    return new Map(rows.map((row) => [row.workspaceId, this.toSuppressing(row)]));
  }

  /** The hash function of a workspace, with a new key where it has none; `isNew`: it had none. The workspace's row stays locked. */
  async forErasure(tx: Queryable, workspaceId: string): Promise<{ hashOf: NonNullable<Suppressing['hashOf']>; isNew: boolean }> {
    const [row] = await tx.query<SealedKey>(LOCK, [workspaceId]);
    const key = row?.hashKey ? this.open(row) : undefined;
    if (key) return { hashOf: hashWith(key), isNew: false };
    const drawn = randomBytes(KEY_BYTES);
    await tx.execute(STORE, [workspaceId, ...this.sealed(workspaceId, drawn)]);
    return { hashOf: hashWith(drawn), isNew: true };
  }

  /** Seals some keys again with the first secret key: those after a workspace. */
  async resealPage([after = BEFORE_FIRST]: readonly string[] = []): Promise<ResealedRows> {
    const rows = await this.database.query<SealedKey>(OTHERS, [after]);
    const count = { resealed: 0, unreadable: 0 };
    for (const row of rows) {
      if (row.keyId === (this.ring.first?.id ?? null)) continue;
      const key = this.open(row);
      // Unless it was changed meanwhile.
      if (key) await this.database.execute(RESEAL, [row.workspaceId, ...this.sealed(row.workspaceId, key), row.hashKey]);
      count[key ? 'resealed' : 'unreadable'] += 1;
    }
    const last = rows[PAGE_SIZE - 1];
    return { ...count, next: last && [last.workspaceId] };
  }

  private toSuppressing(row: SealedKey): Suppressing {
    if (!row.hashKey) return {};
    const key = this.open(row);
    if (key) return { hashOf: hashWith(key) };
    this.logger.error({
      message: 'The key of erased suppressed addresses was sealed with a key that TIDINGS_SECRET_KEY does not hold: they are sent to again',
      workspaceId: row.workspaceId,
    });
    return {};
  }

  private open({ workspaceId, hashKey, keyId }: SealedKey) {
    return keyId === null ? (hashKey ?? undefined) : this.ring.open(hashKey!, nameOf(workspaceId), keyId);
  }

  private sealed(workspaceId: string, key: Buffer): [Buffer, string | null] {
    const { first } = this.ring;
    return first ? [seal(key, nameOf(workspaceId), first.key), first.id] : [key, null];
  }
}

function hashWith(key: Buffer) {
  return (channel: string, address: string) =>
    ERASED_ADDRESS_PREFIX + createHmac('sha256', key).update(`${channel}\n${address}`).digest('base64url');
}
