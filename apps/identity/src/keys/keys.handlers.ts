import { randomUUID } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import {
  accessChanged,
  type CreatedKey,
  type CreateKey,
  keys,
  type RevokeKey,
  type VerifiedKey,
  type VerifyKey,
} from '@tidings/contracts/identity/keys';
import { API_KEY_FORMAT } from '@tidings/contracts/identity/workspaces';
import { Database, statement } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { Handles } from '@tidings/rpc/handles';
import { hashApiKey, makeApiKey } from './api-key';
import { insertKey } from './key.rows';

const VERIFY = statement(
  'keys-verify',
  `select key.id as key_id, key.workspace_id, workspace.account_email, key.mode, key.scopes
     from api_keys key join workspaces workspace on workspace.id = key.workspace_id
    where key.hash = $1 and key.revoked_at is null`,
);

@Handles(keys)
export class KeysHandlers {
  constructor(
    private readonly db: Database,
    private readonly outbox: Outbox,
  ) {}

  /** A text that is no hash is the hash of no key. */
  async verify(_context: CallContext, { hash, ...rest }: VerifyKey): Promise<VerifiedKey> {
    rest satisfies Record<string, never>;
    const [row] = await this.db.query<VerifiedKey>(VERIFY, [Buffer.from(hash, 'hex')]);
    if (!row) throw new ServiceError('unauthenticated', 'The API key is unknown or was revoked');
    return row;
  }

  /** Not recognised when it is delivered again, since the answer is a secret: the key of the first time is known to nobody then. */
  async create({ workspaceId }: CallContext, request: CreateKey): Promise<CreatedKey> {
    const { mode, key = makeApiKey(mode), ...rest } = request;
    rest satisfies Record<string, never>;
    if (!API_KEY_FORMAT.test(key)) throw new ServiceError('invalid_request', 'key must be 1 to 200 visible ASCII characters');
    return this.db.transaction(async (tx) => {
      const [workspace] = await tx.query('select id from workspaces where id = $1', [workspaceId]);
      if (!workspace) throw new ServiceError('not_found', `Workspace ${workspaceId} does not exist`);

      const keyId = await insertKey(tx, { id: randomUUID(), workspaceId, hash: hashApiKey(key), mode });
      if (!keyId) throw new ServiceError('conflict', 'This API key exists already');
      await this.outbox.add(tx, accessChanged, { payload: { workspaceId, keyId } });
      return { key_id: keyId, key };
    });
  }

  async revoke({ workspaceId }: CallContext, { key_id, ...rest }: RevokeKey): Promise<void> {
    rest satisfies Record<string, never>;
    await this.db.transaction(async (tx) => {
      const [key] = await tx.query<{ revoked: boolean }>(
        'select revoked_at is not null as revoked from api_keys where workspace_id = $1 and id = $2 for update',
        [workspaceId, key_id],
      );
      if (!key) throw new ServiceError('not_found', `API key ${key_id} does not exist`);
      if (key.revoked) return; // asking twice is asking once

      await tx.query('update api_keys set revoked_at = now() where workspace_id = $1 and id = $2', [workspaceId, key_id]);
      await this.outbox.add(tx, accessChanged, { payload: { workspaceId, keyId: key_id } });
    });
  }
}
