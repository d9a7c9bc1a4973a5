import type { CallContext } from '@tidings/contracts/core/context';
import { parseDuration } from '@tidings/contracts/core/duration';
import { ServiceError } from '@tidings/contracts/core/errors';
import { PAGE_LIMIT_DEFAULT } from '@tidings/contracts/core/paging';
import { accessChanged, keys, type VerifiedKey, type VerifyKey } from '@tidings/contracts/identity/keys';
import {
  type CreatedKey,
  type CreateKey,
  type KeyPage,
  type NamedKey,
  OVERLAP_DEFAULT,
  OVERLAP_MAX,
  OVERLAP_MIN,
  type PageKeys,
  type RotatedKey,
  type RotateKey,
} from '@tidings/contracts/identity/managed-keys';
import { API_KEY_FORMAT } from '@tidings/contracts/identity/workspaces';
import { assertKeyScopes } from '@tidings/contracts/scopes';
import { Database, statement, type Transaction } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { decodeCursor, toPage, toResultsPage } from '@tidings/persistence/page';
import { Handles } from '@tidings/rpc/handles';
import { addAuditEvent, OPERATOR } from '../audit/audit-log';
import { makeApiKey } from './api-key';
import { exactInstant } from './exact-instant';
import {
  insertKey,
  IS_VALID,
  KEY_COLUMNS,
  type KeyRow,
  lockForNewKey,
  type NewKey,
  SELECT_VERIFIED,
  toKeySummary,
  toVerifiedKey,
  type VerifiedKeyRow,
} from './key.rows';

const VERIFY = statement('keys-verify', `${SELECT_VERIFIED} where key.hash = $1 and ${IS_VALID}`);
const INSPECT = statement('keys-inspect', `${SELECT_VERIFIED} where key.workspace_id = $1 and key.id = $2 and ${IS_VALID}`);
const WORKSPACE = statement('keys-workspace', 'select id from workspaces where id = $1');
const PAGE_COLUMNS = `${KEY_COLUMNS}, ${exactInstant('created_at')} as exact_created_at`;
const PAGE = statement(
  'keys-page',
  `select ${PAGE_COLUMNS} from api_keys where workspace_id = $1
    order by created_at desc, id desc limit $2`,
);
const PAGE_AFTER = statement(
  'keys-page-after',
  `select ${PAGE_COLUMNS} from api_keys where workspace_id = $1 and (created_at, id) < ($3::timestamptz, $4::uuid)
    order by created_at desc, id desc limit $2`,
);
const LOCK = statement('keys-lock', `select ${KEY_COLUMNS} from api_keys where workspace_id = $1 and id = $2 for update`);
const END_LATER = statement(
  'keys-end-later',
  `update api_keys set valid_until = now() + $3 * interval '1 millisecond' where workspace_id = $1 and id = $2 returning valid_until`,
);
const REVOKE = statement('keys-revoke', 'update api_keys set revoked_at = now() where workspace_id = $1 and id = $2');

@Handles(keys)
export class KeysHandlers {
  constructor(
    private readonly db: Database,
    private readonly outbox: Outbox,
  ) {}

  /** A text that is not a hash matches no key. */
  async verify(_context: CallContext, { hash, ...rest }: VerifyKey): Promise<VerifiedKey> {
    rest satisfies Record<string, never>;
    return oneVerified(await this.db.query<VerifiedKeyRow>(VERIFY, [Buffer.from(hash, 'hex')]));
  }

  async inspect({ workspaceId }: CallContext, { key_id, ...rest }: NamedKey): Promise<VerifiedKey> {
    rest satisfies Record<string, never>;
    return oneVerified(await this.db.query<VerifiedKeyRow>(INSPECT, [workspaceId, key_id]));
  }

  async page({ workspaceId }: CallContext, { cursor, limit = PAGE_LIMIT_DEFAULT, ...rest }: PageKeys): Promise<KeyPage> {
    rest satisfies Record<string, never>;
    const tag = `keys ${workspaceId}`;
    const after = cursor === undefined ? undefined : decodeCursor(tag, cursor, ['instant', 'uuid']);
    const rows = await this.db.query<KeyRow & { exact_created_at: string }>(after ? PAGE_AFTER : PAGE, [
      workspaceId,
      limit + 1,
      ...(after ?? []),
    ]);
    if (rows.length === 0) await this.assertWorkspace(workspaceId);
    const now = Date.now();
    return toResultsPage(
      toPage(rows, {
        tag,
        limit,
        cursorOf: ({ exact_created_at, id }) => [exact_created_at, id],
        toItem: (row) => toKeySummary(row, now),
      }),
    );
  }

  /** Redeliveries are not recognised: the answer is a secret and not stored, so no caller receives the key of the first delivery. */
  async create({ workspaceId }: CallContext, request: CreateKey): Promise<CreatedKey> {
    const { mode, name, scopes, key = makeApiKey(mode), ...rest } = request;
    rest satisfies Record<string, never>;
    if (!API_KEY_FORMAT.test(key)) throw new ServiceError('invalid_request', 'key must be 1 to 200 visible ASCII characters');
    if (scopes) assertKeyScopes(scopes);
    return this.db.transaction(async (tx) => {
      await lockForNewKey(tx, workspaceId);
      const keyId = await this.add(tx, { workspaceId, key, mode, name, scopes });
      await addAuditEvent(tx, { workspaceId, type: 'api-key:created', actor: OPERATOR, target: { id: keyId } });
      return { key_id: keyId, key };
    });
  }

  /** As in `create`, redeliveries are not recognised: the second one is refused because the key is rotated already. */
  async rotate({ workspaceId }: CallContext, { key_id, overlap, ...rest }: RotateKey): Promise<RotatedKey> {
    rest satisfies Record<string, never>;
    const overlapMs = parseDuration(overlap ?? OVERLAP_DEFAULT, 'overlap', { min: OVERLAP_MIN, max: OVERLAP_MAX });
    return this.db.transaction(async (tx) => {
      await lockForNewKey(tx, workspaceId);
      const old = await this.lock(tx, workspaceId, key_id);
      if (old.revoked_at) throw new ServiceError('conflict', `API key ${key_id} was revoked: make a new one`, { shouldRetry: false });
      if (old.valid_until) throw new ServiceError('conflict', `API key ${key_id} was rotated already`, { shouldRetry: false });

      const key = makeApiKey(old.mode);
      const keyId = await this.add(tx, { workspaceId, key, mode: old.mode, name: old.name, scopes: old.scopes });
      const [ending] = await tx.query<{ valid_until: Date }>(END_LATER, [workspaceId, key_id, overlapMs]);
      await this.outbox.add(tx, accessChanged, { payload: { workspaceId, keyId: key_id } });
      await addAuditEvent(tx, { workspaceId, type: 'api-key:rotated', actor: OPERATOR, target: { id: key_id } });
      await addAuditEvent(tx, { workspaceId, type: 'api-key:created', actor: OPERATOR, target: { id: keyId } });
      return { key_id: keyId, key, previous_valid_until: ending!.valid_until.toISOString() };
    });
  }

  async revoke({ workspaceId }: CallContext, { key_id, ...rest }: NamedKey): Promise<void> {
    rest satisfies Record<string, never>;
    await this.db.transaction(async (tx) => {
      const key = await this.lock(tx, workspaceId, key_id);
      if (key.revoked_at) return; // revoking is idempotent

      await tx.execute(REVOKE, [workspaceId, key_id]);
      await this.outbox.add(tx, accessChanged, { payload: { workspaceId, keyId: key_id } });
      await addAuditEvent(tx, { workspaceId, type: 'api-key:revoked', actor: OPERATOR, target: { id: key_id } });
    });
  }

  private async add(tx: Transaction, key: NewKey): Promise<string> {
    const keyId = await insertKey(tx, key);
    if (!keyId) throw new ServiceError('conflict', 'This API key exists already');
    await this.outbox.add(tx, accessChanged, { payload: { workspaceId: key.workspaceId, keyId } });
    return keyId;
  }

  private async lock(tx: Transaction, workspaceId: string, keyId: string): Promise<KeyRow> {
    const [key] = await tx.query<KeyRow>(LOCK, [workspaceId, keyId]);
    if (!key) throw new ServiceError('not_found', `API key ${keyId} does not exist`);
    return key;
  }

  private async assertWorkspace(workspaceId: string): Promise<void> {
    const [workspace] = await this.db.query(WORKSPACE, [workspaceId]);
    if (!workspace) throw new ServiceError('not_found', `Workspace ${workspaceId} does not exist`);
  }
}

function oneVerified([row]: VerifiedKeyRow[]): VerifiedKey {
  if (!row) throw new ServiceError('unauthenticated', 'The API key is unknown or was revoked');
  return toVerifiedKey(row);
}
