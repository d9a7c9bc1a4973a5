import { Inject } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { CallContext } from '@tidings/contracts/core/context';
import { QUOTA_NAMES, type Quotas } from '@tidings/contracts/core/quotas';
import { notFound } from '@tidings/contracts/core/refusals';
import { type ChangeKeyLimit, type ChangeWorkspaceLimits, limits, type WorkspaceLimits } from '@tidings/contracts/identity/limits';
import { Outbox } from '@tidings/persistence/outbox';
import { Handles } from '@tidings/rpc/handles';
import { type EntityManager, Repository } from 'typeorm';
import { addAuditEvent, operatorOf } from '../audit/audit-log';
import { DEFAULT_RATE, type DefaultRate, effectiveRate } from '../default-rate';
import { publishKeyChange, validKeyIds } from '../keys/key-store';
import { KeyEntity } from '../keys/key.entity';
import { WorkspaceEntity } from '../workspace.entity';

@Handles(limits)
export class LimitsHandlers {
  constructor(
    @InjectRepository(WorkspaceEntity) private readonly rows: Repository<WorkspaceEntity>,
    private readonly outbox: Outbox,
    @Inject(DEFAULT_RATE) private readonly defaultRate: DefaultRate,
  ) {}

  async retrieve({ workspaceId }: CallContext) {
    const row = await this.rows.findOneBy({ id: workspaceId });
    if (!row) throw noWorkspace(workspaceId);
    return this.toLimits(row);
  }

  /** Gateways cache the limits with the keys: a change of every valid key is published. */
  async change(context: CallContext, { rate_limit, ...quotas }: ChangeWorkspaceLimits, tx: EntityManager) {
    const { workspaceId } = context;
    const row = await tx.findOne(WorkspaceEntity, { where: { id: workspaceId }, lock: { mode: 'for_no_key_update' } });
    if (!row) throw noWorkspace(workspaceId);
    const before = limitNames(row);
    if (rate_limit !== undefined) row.rateLimit = rate_limit;
    row.quotas = withChanges(row.quotas, quotas);
    await tx.update(WorkspaceEntity, { id: workspaceId }, { rateLimit: row.rateLimit, quotas: row.quotas });
    const changes = { before, after: limitNames(row) };
    const by = { actor: operatorOf(context), operation: limits.change.pattern };
    await addAuditEvent(tx, { workspaceId, type: 'workspace:limits-changed', target: { id: workspaceId }, changes, ...by });
    for (const keyId of await validKeyIds(tx, workspaceId)) await publishKeyChange(tx, this.outbox, workspaceId, keyId);
    return this.toLimits(row);
  }

  async changeKey(context: CallContext, { key_id: id, rate_limit = null, ...rest }: ChangeKeyLimit, tx: EntityManager) {
    rest satisfies Record<string, never>;
    const { workspaceId } = context;
    const { affected } = await tx.update(KeyEntity, { workspaceId, id }, { rateLimit: rate_limit });
    if (!affected) throw notFound(`API key ${id} does not exist`);
    await publishKeyChange(tx, this.outbox, workspaceId, id);
    const changes = { after: rate_limit === null ? [] : ['rate_limit'] };
    const by = { actor: operatorOf(context), operation: limits.changeKey.pattern };
    await addAuditEvent(tx, { workspaceId, type: 'api-key:limit-changed', target: { id }, changes, ...by });
    return { key_id: id, rate_limit };
  }

  private toLimits({ rateLimit, quotas }: WorkspaceEntity): WorkspaceLimits {
    return {
      rate_limit: rateLimit,
      effective_rate_limit: effectiveRate(rateLimit, this.defaultRate),
      ...Object.fromEntries(QUOTA_NAMES.map((name) => [name, quotas[name] ?? null])),
    };
  }
}

/** The names of the limits that a workspace has of its own. */
function limitNames({ rateLimit, quotas }: WorkspaceEntity) {
  return [...(rateLimit === null ? [] : ['rate_limit']), ...Object.keys(quotas)];
}

/** `null` removes a quota, absent ones stay. */
function withChanges(quotas: Quotas, changes: Partial<Record<keyof Quotas, number | null>>) {
  const changed = { ...quotas, ...Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) };
  return Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== null)) as Quotas;
}

const noWorkspace = (id: string) => notFound(`Workspace ${id} does not exist`);
