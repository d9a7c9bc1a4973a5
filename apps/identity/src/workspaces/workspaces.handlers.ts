import { randomUUID } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { assertStorable } from '@tidings/contracts/core/text';
import { accessChanged } from '@tidings/contracts/identity/keys';
import { type EnsuredWorkspace, type EnsureWorkspace, workspaces } from '@tidings/contracts/identity/workspaces';
import { Database, type Transaction } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { Handles } from '@tidings/rpc/handles';
import { hashApiKey } from '../keys/api-key';
import { insertKey } from '../keys/key.rows';

interface KeyRow {
  id: string;
  workspace_id: string;
  mode: string;
  revoked: boolean;
}

@Handles(workspaces)
export class WorkspacesHandlers {
  constructor(
    private readonly db: Database,
    private readonly outbox: Outbox,
  ) {}

  /** Any number of replicas may ask at once: the unique name and the unique hash decide who was first. */
  async ensure(_context: CallContext, { name, account_email, key, mode, ...rest }: EnsureWorkspace): Promise<EnsuredWorkspace> {
    rest satisfies Record<string, never>;
    assertStorable(name, 'name');
    return this.db.transaction(async (tx) => {
      const { workspaceId, created } = await this.ensureNamed(tx, name, account_email);
      const keyId = await this.ensureKey(tx, workspaceId, { key, mode });
      return { workspace_id: workspaceId, key_id: keyId, created };
    });
  }

  private async ensureNamed(tx: Transaction, name: string, email: string): Promise<{ workspaceId: string; created: boolean }> {
    const [inserted] = await tx.query<{ id: string }>(
      'insert into workspaces (id, name, account_email) values ($1, $2, $3) on conflict (name) do nothing returning id',
      [randomUUID(), name, email],
    );
    if (inserted) return { workspaceId: inserted.id, created: true };

    const [present] = await tx.query<{ id: string; account_email: string }>('select id, account_email from workspaces where name = $1', [
      name,
    ]);
    const workspaceId = present!.id; // it was there a moment ago, and workspaces are never deleted
    if (present!.account_email !== email) await this.changeEmail(tx, workspaceId, email);
    return { workspaceId, created: false };
  }

  /** Every key is verified together with the address, so whoever remembers one of them must forget it. */
  private async changeEmail(tx: Transaction, workspaceId: string, email: string): Promise<void> {
    await tx.query('update workspaces set account_email = $2 where id = $1', [workspaceId, email]);
    const keys = await tx.query<{ id: string }>('select id from api_keys where workspace_id = $1 and revoked_at is null', [workspaceId]);
    for (const { id } of keys) await this.outbox.add(tx, accessChanged, { payload: { workspaceId, keyId: id } });
  }

  private async ensureKey(tx: Transaction, workspaceId: string, { key, mode }: Pick<EnsureWorkspace, 'key' | 'mode'>): Promise<string> {
    const hash = hashApiKey(key);
    const inserted = await insertKey(tx, { id: randomUUID(), workspaceId, hash, mode });
    if (inserted) {
      await this.outbox.add(tx, accessChanged, { payload: { workspaceId, keyId: inserted } });
      return inserted;
    }

    const [present] = await tx.query<KeyRow>(
      'select id, workspace_id, mode, revoked_at is not null as revoked from api_keys where hash = $1',
      [hash],
    );
    const { id, workspace_id, mode: presentMode, revoked } = present!; // keys are revoked, never deleted
    if (workspace_id !== workspaceId) throw new ServiceError('conflict', 'The API key belongs to another workspace');
    if (presentMode !== mode) throw new ServiceError('conflict', `The API key exists already, with mode ${presentMode}`);
    if (revoked) throw new ServiceError('conflict', 'The API key was revoked');
    return id;
  }
}
