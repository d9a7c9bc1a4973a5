import { Inject } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { conflict, invalidValue, notFound } from '@tidings/contracts/core/refusals';
import { type EntityManager, Repository } from 'typeorm';
import type { CallContext } from '@tidings/contracts/core/context';
import { parseDuration } from '@tidings/contracts/core/duration';
import { ServiceError } from '@tidings/contracts/core/errors';
import { readInstant } from '@tidings/contracts/core/instant';
import {
  type CreateKey,
  keys,
  type NamedKey,
  OVERLAP_DEFAULT,
  OVERLAP_MAX,
  OVERLAP_MIN,
  type PageKeys,
  type ReplaceKey,
  type VerifiedKey,
  type VerifyKey,
} from '@tidings/contracts/identity/keys';
import { assertKeyScopes } from '@tidings/contracts/scopes';
import { Database, statement, transactionOf } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { keysetPage } from '@tidings/persistence/keyset-page';
import { toResultsPage } from '@tidings/persistence/page';
import { Handles } from '@tidings/rpc/handles';
import { addAuditEvent, type ShownActor } from '../audit/audit-log';
import { DEFAULT_RATE, type DefaultRate } from '../default-rate';
import { WorkspaceEntity } from '../workspace.entity';
import { assertNotWider, keyCallerOf } from './key-caller';
import { insertKey, lockForNewKey, type NewKey, publishKeyChange } from './key-store';
import { KeyUses } from './key-uses';
import { endOf, isValid, KeyEntity, toKeySummary } from './key.entity';
import { epochMs, toVerifiedKey, type VerifiedKeyRow } from './verified-key';

const SELECT_VERIFIED = `
  select key.id as key_id, key.workspace_id, workspace.account_email, key.mode, key.scopes, key.recipients,
         ${epochMs(endOf('key'))} as valid_until,
         key.rate_limit as key_rate, workspace.rate_limit as workspace_rate, workspace.quotas
    from api_keys key join workspaces workspace on workspace.id = key.workspace_id`;

// SQL because every request of a client waits for it.
const VERIFY = statement('keys-verify', `${SELECT_VERIFIED} where key.hash = $1 and ${isValid('key')}`);
const INSPECT = statement('keys-inspect', `${SELECT_VERIFIED} where key.workspace_id = $1 and key.id = $2 and ${isValid('key')}`);
// SQL because one statement computes the time by the database's clock and returns it.
const END_LATER = statement(
  'keys-end-later',
  `update api_keys set valid_until = now() + $3 * interval '1 millisecond' where workspace_id = $1 and id = $2 returning valid_until`,
);

@Handles(keys)
export class KeysHandlers {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
    private readonly uses: KeyUses,
    @InjectRepository(KeyEntity) private readonly rows: Repository<KeyEntity>,
    @Inject(DEFAULT_RATE) private readonly defaultRate: DefaultRate,
  ) {}

  /** A text that is not a hash matches no key. */
  async verify(_context: CallContext, { hash }: VerifyKey) {
    return this.verified(await this.database.query<VerifiedKeyRow>(VERIFY, [Buffer.from(hash, 'hex')]));
  }

  async inspect({ workspaceId }: CallContext, { key_id }: NamedKey) {
    return this.verified(await this.database.query<VerifiedKeyRow>(INSPECT, [workspaceId, key_id]));
  }

  async page({ workspaceId }: CallContext, { cursor, limit, key_id: id }: PageKeys) {
    const now = Date.now();
    const page = await keysetPage(this.rows.createQueryBuilder('key').where({ workspaceId, ...(id !== undefined && { id }) }), {
      tag: `keys ${workspaceId}`,
      limit,
      cursor,
      orderedBy: ['createdAt', 'id'],
      direction: 'DESC',
      toItem: (row) => toKeySummary(row, now),
    });
    if (page.items.length === 0 && !(await this.rows.manager.existsBy(WorkspaceEntity, { id: workspaceId }))) {
      throw notFound(`Workspace ${workspaceId} does not exist`);
    }
    return toResultsPage(page);
  }

  async create(context: CallContext, request: CreateKey, tx: EntityManager) {
    const { workspaceId } = context;
    const { mode, name, scopes, recipients, expires_at, hash, hint, ...rest } = request;
    rest satisfies Record<string, never>;
    if (scopes) assertKeyScopes(scopes);
    const end = readInstant(expires_at);
    if (end && end.getTime() <= Date.now()) throw invalidValue('expires_at', 'in the future', expires_at);
    const caller = await keyCallerOf(tx, context);
    const powers = {
      mode,
      scopes: scopes ?? caller.scopes,
      recipients: recipients ?? caller.recipients,
      expiresAt: end ?? caller.expiresAt,
      rateLimit: caller.rateLimit,
    };
    assertNotWider(powers, caller);
    await lockForNewKey(tx, workspaceId);
    const by = { actor: caller.actor, operation: keys.create.pattern };
    return { key_id: await this.add(tx, by, { workspaceId, hash, hint, name, ...powers }) };
  }

  async rotate(context: CallContext, request: ReplaceKey, tx: EntityManager) {
    const { workspaceId } = context;
    const caller = await keyCallerOf(tx, context);
    const by = { actor: caller.actor, operation: keys.rotate.pattern };
    const { key_id, overlap, production_hash, test_hash, hint, ...rest } = request;
    rest satisfies Record<string, never>;
    const overlapMs = parseDuration(overlap ?? OVERLAP_DEFAULT, 'overlap', { min: OVERLAP_MIN, max: OVERLAP_MAX });
    await lockForNewKey(tx, workspaceId);
    const old = await lockKey(tx, workspaceId, key_id);
    if (old.revokedAt) throw conflict(`API key ${key_id} was revoked: make a new one`);
    if (old.validUntil) throw conflict(`API key ${key_id} was rotated already`);
    if (!old.valid) throw conflict(`API key ${key_id} has expired: make a new one`);
    assertNotWider(old, caller);

    const { mode, name, scopes, recipients, expiresAt, rateLimit } = old;
    const [ending] = await transactionOf(tx).query<{ valid_until: Date }>(END_LATER, [workspaceId, key_id, overlapMs]);
    await publishKeyChange(tx, this.outbox, workspaceId, key_id);
    const changes = { after: ['valid_until'] };
    await addAuditEvent(tx, { workspaceId, type: 'api-key:rotated', target: { id: key_id }, changes, ...by });
    const hash = mode === 'test' ? test_hash : production_hash;
    const keyId = await this.add(tx, by, { workspaceId, hash, hint, mode, name, scopes, recipients, expiresAt, rateLimit });
    return { key_id: keyId, mode, previous_valid_until: ending!.valid_until.toISOString() };
  }

  async revoke(context: CallContext, { key_id: id }: NamedKey, tx: EntityManager) {
    const { workspaceId } = context;
    const key = await lockKey(tx, workspaceId, id);
    if (key.revokedAt) return; // revoking is idempotent

    await tx.update(KeyEntity, { workspaceId, id }, { revokedAt: () => 'now()' });
    await publishKeyChange(tx, this.outbox, workspaceId, id);
    const by = { actor: (await keyCallerOf(tx, context)).actor, operation: keys.revoke.pattern };
    await addAuditEvent(tx, { workspaceId, type: 'api-key:revoked', target: { id }, changes: { after: ['revoked_at'] }, ...by });
  }

  private verified([row]: VerifiedKeyRow[]): VerifiedKey {
    if (!row) throw new ServiceError('unauthenticated', 'The API key is unknown, has expired or was revoked');
    this.uses.note(row.key_id);
    return toVerifiedKey(row, this.defaultRate);
  }

  private async add(tx: EntityManager, by: { actor: ShownActor; operation: string }, key: NewKey) {
    const keyId = await insertKey(tx, this.outbox, by, key);
    if (!keyId) throw new ServiceError('conflict', 'This API key exists already');
    return keyId;
  }
}

async function lockKey(tx: EntityManager, workspaceId: string, id: string) {
  const key = await tx.findOne(KeyEntity, { where: { workspaceId, id }, lock: { mode: 'pessimistic_write' } });
  if (!key) throw notFound(`API key ${id} does not exist`);
  return key;
}
