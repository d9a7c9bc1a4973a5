import { randomUUID } from 'node:crypto';
import { InjectRepository } from '@nestjs/typeorm';
import { conflict } from '@tidings/contracts/core/refusals';
import { type EntityManager, Not, Repository } from 'typeorm';
import type { Actor } from '@tidings/contracts/core/audit';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { type CreateWorkspace, type EnsureWorkspace, type PageWorkspaces, workspaces } from '@tidings/contracts/identity/workspaces';
import { Database } from '@tidings/persistence/database';
import { isUniqueViolation } from '@tidings/persistence/errors';
import { keysetPage } from '@tidings/persistence/keyset-page';
import { Outbox } from '@tidings/persistence/outbox';
import { toResultsPage } from '@tidings/persistence/page';
import { Handles } from '@tidings/rpc/handles';
import { addAuditEvent, operatorOf, SYSTEM } from '../audit/audit-log';
import { insertKey, insertNew, type NewKey, publishKeyChange, validKeyIds } from '../keys/key-store';
import { KeyEntity } from '../keys/key.entity';
import { toWorkspace, WorkspaceEntity } from '../workspace.entity';

const AT_START = { actor: SYSTEM, operation: workspaces.ensure.pattern };

@Handles(workspaces)
export class WorkspacesHandlers {
  constructor(
    @InjectRepository(WorkspaceEntity) private readonly rows: Repository<WorkspaceEntity>,
    private readonly database: Database,
    private readonly outbox: Outbox,
  ) {}

  async page(_context: CallContext, { cursor, id, name, limit }: PageWorkspaces) {
    const query = this.rows.createQueryBuilder('workspace');
    query.where({ ...(id !== undefined && { id }), ...(name !== undefined && { name }) });
    return toResultsPage(
      await keysetPage(query, {
        tag: 'workspaces',
        limit,
        cursor,
        orderedBy: ['createdAt', 'id'],
        direction: 'DESC',
        toItem: toWorkspace,
      }),
    );
  }

  async create(context: CallContext, { name, account_email, ...rest }: CreateWorkspace, tx: EntityManager) {
    rest satisfies Record<string, never>;
    const id = randomUUID();
    const row = tx.create(WorkspaceEntity, { id, name, accountEmail: account_email });
    try {
      await tx.insert(WorkspaceEntity, row);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw conflict(`There is a workspace named ${name} already`);
    }
    await addCreated(tx, { actor: operatorOf(context), operation: workspaces.create.pattern }, { id, email: account_email });
    return toWorkspace(row);
  }

  /** Safe when replicas call it at once: the unique name and the unique hash let one of them create each row. */
  async ensure(_context: CallContext, { name, account_email, hash, hint, mode, ...rest }: EnsureWorkspace) {
    rest satisfies Record<string, never>;
    return this.database.transaction(async ({ manager: tx }) => {
      const { workspaceId, created } = await this.ensureNamed(tx, name, account_email);
      const keyId = await this.ensureKey(tx, { workspaceId, hash, hint, mode });
      return { workspace_id: workspaceId, key_id: keyId, created };
    });
  }

  private async ensureNamed(tx: EntityManager, name: string, email: string) {
    const id = randomUUID();
    if (await insertNew(tx, WorkspaceEntity, { id, name, accountEmail: email })) {
      await addCreated(tx, AT_START, { id, email });
      return { workspaceId: id, created: true };
    }

    const present = await tx.findOneByOrFail(WorkspaceEntity, { name }); // the insert conflicted with it, and workspaces are never deleted
    if (present.accountEmail !== email) await this.changeEmail(tx, present.id, email);
    return { workspaceId: present.id, created: false };
  }

  /** Gateways cache keys together with the address: publishes a change of every valid key, so that they reload it. */
  private async changeEmail(tx: EntityManager, workspaceId: string, email: string) {
    // Replicas that start together all run this; the row lock serializes them, and each sees the address of the one before.
    const { affected } = await tx.update(WorkspaceEntity, { id: workspaceId, accountEmail: Not(email) }, { accountEmail: email });
    if (!affected) return;
    const changes = { before: ['account_email'], after: ['account_email'] };
    await addAuditEvent(tx, { workspaceId, type: 'workspace:email-changed', target: { id: workspaceId, email }, changes, ...AT_START });
    for (const keyId of await validKeyIds(tx, workspaceId)) await publishKeyChange(tx, this.outbox, workspaceId, keyId);
  }

  private async ensureKey(tx: EntityManager, key: NewKey) {
    const { workspaceId, hash, mode } = key;
    const inserted = await insertKey(tx, this.outbox, AT_START, key);
    if (inserted) return inserted;

    const present = await tx.findOneByOrFail(KeyEntity, { hash: Buffer.from(hash, 'hex') }); // keys are revoked, never deleted
    if (present.workspaceId !== workspaceId) throw new ServiceError('conflict', 'The API key belongs to another workspace');
    if (present.mode !== mode) throw new ServiceError('conflict', `The API key exists already, with mode ${present.mode}`);
    if (!present.valid) throw new ServiceError('conflict', 'The API key was revoked');
    return present.id;
  }
}

async function addCreated(tx: EntityManager, by: { actor: Actor; operation: string }, target: { id: string; email: string }) {
  const changes = { after: ['account_email', 'name'] };
  await addAuditEvent(tx, { workspaceId: target.id, type: 'workspace:created', target, changes, ...by });
}
