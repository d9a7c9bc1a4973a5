import { randomUUID } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { PAGE_LIMIT_DEFAULT } from '@tidings/contracts/core/paging';
import { accessChanged } from '@tidings/contracts/identity/keys';
import {
  type CreateWorkspace,
  type EnsuredWorkspace,
  type EnsureWorkspace,
  type PageWorkspaces,
  type Workspace,
  type WorkspacePage,
  workspaces,
} from '@tidings/contracts/identity/workspaces';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database, statement, type Transaction } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { decodeCursor, toPage, toResultsPage } from '@tidings/persistence/page';
import { Handles } from '@tidings/rpc/handles';
import { addAuditEvent, OPERATOR, SYSTEM } from '../audit/audit-log';
import { hashApiKey } from '../keys/api-key';
import { exactInstant } from '../keys/exact-instant';
import { insertKey, IS_VALID, validKeyIds } from '../keys/key.rows';

interface PresentKeyRow {
  id: string;
  workspace_id: string;
  mode: string;
  valid: boolean;
}

interface WorkspaceRow {
  id: string;
  name: string;
  account_email: string;
  created_at: Date;
  /** `created_at` in microseconds, for cursors. */
  exact_created_at: string;
}

const COLUMNS = `id, name, account_email, created_at, ${exactInstant('created_at')} as exact_created_at`;
const PAGE = statement('workspaces-page', `select ${COLUMNS} from workspaces order by created_at desc, id desc limit $1`);
const PAGE_AFTER = statement(
  'workspaces-page-after',
  `select ${COLUMNS} from workspaces where (created_at, id) < ($2::timestamptz, $3::uuid) order by created_at desc, id desc limit $1`,
);
const BY_NAME = statement('workspaces-by-name', `select ${COLUMNS} from workspaces where name = $1`);
const INSERT = statement(
  'workspaces-insert',
  `insert into workspaces (id, name, account_email) values ($1, $2, $3) on conflict (name) do nothing returning ${COLUMNS}`,
);
const PAGE_TAG = 'workspaces';

@Handles(workspaces)
export class WorkspacesHandlers {
  constructor(
    private readonly db: Database,
    private readonly outbox: Outbox,
    private readonly calls: CallJournal,
  ) {}

  async page(_context: CallContext, { cursor, name, limit = PAGE_LIMIT_DEFAULT, ...rest }: PageWorkspaces): Promise<WorkspacePage> {
    rest satisfies Record<string, never>;
    const after = cursor === undefined ? undefined : decodeCursor(PAGE_TAG, cursor, ['instant', 'uuid']);
    const rows =
      name === undefined
        ? await this.db.query<WorkspaceRow>(after ? PAGE_AFTER : PAGE, [limit + 1, ...(after ?? [])])
        : await this.db.query<WorkspaceRow>(BY_NAME, [name]);
    return toResultsPage(
      toPage(rows, { tag: PAGE_TAG, limit, cursorOf: ({ exact_created_at, id }) => [exact_created_at, id], toItem: toWorkspace }),
    );
  }

  async create(context: CallContext, { name, account_email, ...rest }: CreateWorkspace): Promise<Workspace> {
    rest satisfies Record<string, never>;
    return this.calls.once(context, async (tx) => {
      const [row] = await tx.query<WorkspaceRow>(INSERT, [randomUUID(), name, account_email]);
      if (!row) throw new ServiceError('conflict', `There is a workspace named ${name} already`, { shouldRetry: false });
      const target = { id: row.id, email: account_email };
      await addAuditEvent(tx, { workspaceId: row.id, type: 'workspace:created', actor: OPERATOR, target });
      return toWorkspace(row);
    });
  }

  /** Safe when replicas call it at once: the unique name and the unique hash let one of them create each row. */
  async ensure(_context: CallContext, { name, account_email, key, mode, ...rest }: EnsureWorkspace): Promise<EnsuredWorkspace> {
    rest satisfies Record<string, never>;
    return this.db.transaction(async (tx) => {
      const { workspaceId, created } = await this.ensureNamed(tx, name, account_email);
      const keyId = await this.ensureKey(tx, workspaceId, { key, mode });
      return { workspace_id: workspaceId, key_id: keyId, created };
    });
  }

  private async ensureNamed(tx: Transaction, name: string, email: string): Promise<{ workspaceId: string; created: boolean }> {
    const [inserted] = await tx.query<WorkspaceRow>(INSERT, [randomUUID(), name, email]);
    if (inserted) {
      const { id } = inserted;
      await addAuditEvent(tx, { workspaceId: id, type: 'workspace:created', actor: SYSTEM, target: { id, email } });
      return { workspaceId: id, created: true };
    }

    const [present] = await tx.query<WorkspaceRow>(BY_NAME, [name]);
    const workspaceId = present!.id; // the insert conflicted with it, and workspaces are never deleted
    if (present!.account_email !== email) await this.changeEmail(tx, workspaceId, email);
    return { workspaceId, created: false };
  }

  /** Gateways cache keys together with the address: publishes a change of every valid key, so that they reload it. */
  private async changeEmail(tx: Transaction, workspaceId: string, email: string): Promise<void> {
    // Replicas that start together all run this; the row lock serializes them, and each sees the address of the one before.
    const changed = await tx.execute('update workspaces set account_email = $2 where id = $1 and account_email <> $2', [
      workspaceId,
      email,
    ]);
    if (changed === 0) return;
    await addAuditEvent(tx, { workspaceId, type: 'workspace:email-changed', actor: SYSTEM, target: { id: workspaceId, email } });
    for (const keyId of await validKeyIds(tx, workspaceId)) await this.outbox.add(tx, accessChanged, { payload: { workspaceId, keyId } });
  }

  private async ensureKey(tx: Transaction, workspaceId: string, { key, mode }: Pick<EnsureWorkspace, 'key' | 'mode'>): Promise<string> {
    const hash = hashApiKey(key);
    const inserted = await insertKey(tx, { workspaceId, key, mode });
    if (inserted) {
      await addAuditEvent(tx, { workspaceId, type: 'api-key:created', actor: SYSTEM, target: { id: inserted } });
      await this.outbox.add(tx, accessChanged, { payload: { workspaceId, keyId: inserted } });
      return inserted;
    }

    const [present] = await tx.query<PresentKeyRow>(
      `select key.id, key.workspace_id, key.mode, ${IS_VALID} as valid from api_keys key where key.hash = $1`,
      [hash],
    );
    const { id, workspace_id, mode: presentMode, valid } = present!; // keys are revoked, never deleted
    if (workspace_id !== workspaceId) throw new ServiceError('conflict', 'The API key belongs to another workspace');
    if (presentMode !== mode) throw new ServiceError('conflict', `The API key exists already, with mode ${presentMode}`);
    if (!valid) throw new ServiceError('conflict', 'The API key was revoked');
    return id;
  }
}

function toWorkspace({ id, name, account_email, created_at }: WorkspaceRow): Workspace {
  return { workspace_id: id, name, account_email, created_at: created_at.toISOString() };
}
