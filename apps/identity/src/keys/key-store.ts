import { randomUUID } from 'node:crypto';
import { conflict, notFound } from '@tidings/contracts/core/refusals';
import type { EntityManager, EntityTarget, QueryDeepPartialEntity } from 'typeorm';
import type { KeyMode } from '@tidings/contracts/core/context';
import { EVERYTHING } from '@tidings/contracts/scopes';
import { accessChanged, KEYS_PER_WORKSPACE_MAX } from '@tidings/contracts/identity/keys';
import { transactionOf } from '@tidings/persistence/database';
import type { Outbox } from '@tidings/persistence/outbox';
import { addAuditEvent, type ShownActor } from '../audit/audit-log';
import { WorkspaceEntity } from '../workspace.entity';
import { isValid, KeyEntity } from './key.entity';

/** An API key to be stored: as its hash, with a hint. */
export interface NewKey {
  workspaceId: string;
  /** `hashApiKey` of the key. */
  hash: string;
  /** The key's last characters. */
  hint?: string;
  mode: KeyMode;
  name?: string | null;
  /** Default: everything. */
  scopes?: readonly string[] | null;
  /** Guest list. Default: any recipient. */
  recipients?: readonly string[] | null;
  /** Default: never. */
  expiresAt?: Date | null;
  /** Default: none beside that of the workspace. */
  rateLimit?: string | null;
}

/** Who creates a key, by which operation. */
interface Creation {
  actor: ShownActor;
  operation: string;
}

/** The id of the inserted key, recorded and published; `undefined` when a key with this hash exists, in any workspace. */
export async function insertKey(tx: EntityManager, outbox: Outbox, by: Creation, given: NewKey) {
  const { workspaceId, hash, hint, mode, name, scopes, recipients, expiresAt, rateLimit } = given;
  const id = randomUUID();
  const limits = { recipients: recipients && [...new Set(recipients)], expiresAt, rateLimit };
  const row = {
    id,
    workspaceId,
    hash: Buffer.from(hash, 'hex'),
    mode,
    scopes: [...new Set(scopes ?? [EVERYTHING])],
    name,
    hint,
    ...limits,
  };
  if (!(await insertNew(tx, KeyEntity, row))) return undefined;
  await publishKeyChange(tx, outbox, workspaceId, id);
  const fields = Object.entries({ mode, name, scopes: row.scopes, recipients, expires_at: expiresAt }).filter(([, value]) => value);
  const changes = { after: fields.map(([field]) => field) };
  await addAuditEvent(tx, { workspaceId, type: 'api-key:created', target: { id }, changes, ...by });
  return id;
}

/** Publishes a change of a key: gateways that cached the key reload it. */
export async function publishKeyChange(tx: EntityManager, outbox: Outbox, workspaceId: string, keyId: string) {
  await outbox.add(transactionOf(tx), accessChanged, { payload: { workspaceId, keyId } });
}

/** Whether the row was inserted; false where one with the same key or unique value exists. */
export async function insertNew<Row extends object>(tx: EntityManager, entity: EntityTarget<Row>, row: QueryDeepPartialEntity<Row>) {
  const insert = tx.createQueryBuilder().insert().into(entity).values(row).orIgnore().updateEntity(false).returning('id');
  return ((await insert.execute()).raw as unknown[]).length > 0;
}

/** The ids of a workspace's valid keys, newest first. */
export async function validKeyIds(tx: EntityManager, workspaceId: string) {
  const valid = tx.createQueryBuilder(KeyEntity, 'key').select('key.id').where({ workspaceId }).andWhere(isValid('key'));
  const newest = valid.orderBy('key.createdAt', 'DESC').addOrderBy('key.id', 'DESC');
  return (await newest.limit(KEYS_PER_WORKSPACE_MAX + 1).getMany()).map(({ id }) => id);
}

/**
 * Locks the workspace's row against concurrent key creations, so that the count of its keys stays exact.
 * @throws ServiceError `not_found`, or `conflict` when the workspace has `KEYS_PER_WORKSPACE_MAX` valid keys.
 */
export async function lockForNewKey(tx: EntityManager, workspaceId: string) {
  const lock = { mode: 'for_no_key_update' } as const;
  const workspace = await tx.findOne(WorkspaceEntity, { select: { id: true }, where: { id: workspaceId }, lock });
  if (!workspace) throw notFound(`Workspace ${workspaceId} does not exist`);
  if ((await validKeyIds(tx, workspaceId)).length >= KEYS_PER_WORKSPACE_MAX) {
    throw conflict(`Workspace ${workspaceId} has ${KEYS_PER_WORKSPACE_MAX} API keys: revoke one first`);
  }
}
