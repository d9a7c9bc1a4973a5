import { InjectRepository } from '@nestjs/typeorm';
import { invalid, notFound } from '@tidings/contracts/core/refusals';
import { type EntityManager, type ObjectLiteral, Repository } from 'typeorm';
import {
  AUDIENCE_MEMBERS_PAGE_SIZE,
  audiences,
  AUDIENCES_PAGE_SIZE,
  type ListAudienceMembers,
  type NamedAudience,
  type PutAudience,
} from '@tidings/contracts/audience/audiences';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { CursorQuery } from '@tidings/contracts/core/paging';
import { Database, statement, type Transaction, transactionOf } from '@tidings/persistence/database';
import { keysetPage } from '@tidings/persistence/keyset-page';
import { Outbox } from '@tidings/persistence/outbox';
import { decodeCursor, toPage } from '@tidings/persistence/page';
import { Handles } from '@tidings/rpc/handles';
import { publishAudienceEvent } from './audience-events';
import { AUDIENCES_PER_WORKSPACE_MAX } from './audience-limits';
import { AudienceEntity, toAudience } from './audience.entity';
import { sameFilter } from './filter/filter';
import { type ParsedFilter, parseFilter } from './filter/parse-filter';
import { type MemberRow, MEMBERS, toMember } from './member.rows';
import { RebuildWorker } from './rebuild/rebuild-worker';
import { requestRebuild, discard, endRebuild } from './rebuild/rebuild-queue';
import { lockWorkspaceExclusive } from './workspace-lock';

/** A statement: rebuilds are a queue with leases. */
const REBUILD = statement(
  'audience-rebuilds-of-audience',
  'select phase, membership, previous_membership from audience_rebuilds where workspace_id = $1 and audience_id = $2',
);

/** The outcome of a put. */
interface PutOutcome {
  row: AudienceEntity;
  /** Whether the members must be recomputed. */
  rebuild: boolean;
}

@Handles(audiences)
export class AudiencesHandlers {
  constructor(
    @InjectRepository(AudienceEntity) private readonly rows: Repository<AudienceEntity>,
    private readonly db: Database,
    private readonly outbox: Outbox,
    private readonly rebuilds: RebuildWorker,
  ) {}

  async list({ workspaceId }: CallContext, { cursor }: CursorQuery) {
    return keysetPage(this.rows.createQueryBuilder('audience').where({ workspaceId }), {
      tag: `audiences ${workspaceId}`,
      limit: AUDIENCES_PAGE_SIZE,
      cursor,
      orderedBy: ['id'],
      toItem: toAudience,
    });
  }

  async retrieve({ workspaceId }: CallContext, { audience_id: id }: NamedAudience) {
    const row = await this.rows.findOneBy({ workspaceId, id });
    if (!row) throw noAudience(id);
    return toAudience(row);
  }

  /** A wrong filter is refused before the lock is requested. */
  async preparePut(_: CallContext, { filter, operator }: PutAudience): Promise<void> {
    if (filter !== undefined) parseFilter({ filter, operator });
    return Promise.resolve();
  }

  async put({ workspaceId }: CallContext, request: PutAudience, manager: EntityManager) {
    // Older clients repeat the id of the path in `id`; the path counts.
    const { audience_id, id: _, name, description, filter, operator, ...rest } = request;
    rest satisfies Record<string, never>;
    const tx = transactionOf(manager);
    await lockWorkspaceExclusive(tx, workspaceId);
    const { row, rebuild } = await putAudience(manager, this.outbox, workspaceId, { audience_id, name, description, filter, operator });
    if (rebuild) tx.afterCommit(() => this.rebuilds.wake());
    return { audience: toAudience(row) };
  }

  async remove({ workspaceId }: CallContext, { audience_id }: NamedAudience, manager: EntityManager) {
    const tx = transactionOf(manager);
    await lockWorkspaceExclusive(tx, workspaceId);
    if (!(await removeAudience(manager, workspaceId, audience_id))) throw noAudience(audience_id);
    tx.afterCommit(() => this.rebuilds.wake());
  }

  async members({ workspaceId }: CallContext, { audience_id, cursor }: ListAudienceMembers) {
    const tag = `audience-members ${workspaceId} ${audience_id}`;
    const [after] = cursor === undefined ? [''] : decodeCursor(tag, cursor, ['text']);
    const rows = await this.db.query<MemberRow>(MEMBERS, [workspaceId, audience_id, after, AUDIENCE_MEMBERS_PAGE_SIZE + 1]);
    if (rows.length === 0) throw noAudience(audience_id);
    const present = rows.filter((row) => row.member_id !== null);
    return toPage(present, { tag, limit: AUDIENCE_MEMBERS_PAGE_SIZE, cursorOf: ({ member_id }) => [member_id], toItem: toMember });
  }
}

const noAudience = (audienceId: string): ServiceError => notFound(`Audience ${audienceId} does not exist`);

/**
 * Creates an audience or changes its given fields: absent ones stay, `null` clears. A filter of another meaning makes a new
 * version, another spelling of the same one does not. Needs the workspace's exclusive lock.
 * @throws ServiceError `invalid_request` for a wrong filter, or for an audience above the limit.
 */
async function putAudience(tx: EntityManager, outbox: Outbox, workspaceId: string, put: PutAudience): Promise<PutOutcome> {
  const key = { workspaceId, id: put.audience_id };
  const stored = await tx
    .createQueryBuilder(AudienceEntity, 'audience')
    .addSelect('audience.rule')
    .where(key)
    .setLock('pessimistic_write')
    .getOne();
  const { rule, filter, operator } = stored ? filterAfter(put, stored) : parseFilter(put);
  const textOf = (field: 'name' | 'description'): string => (put[field] === undefined ? stored?.[field] : put[field]) ?? '';
  const rebuild = !stored || !sameFilter(stored.rule, rule);
  const version = (stored?.version ?? 0) + (rebuild ? 1 : 0);
  const values: Partial<AudienceEntity> = { name: textOf('name'), description: textOf('description'), filter, operator, rule, version };
  // `ObjectLiteral`: TypeORM's type of values does not accept the readonly parts of a rule.
  if (stored) await tx.update<ObjectLiteral>(AudienceEntity, key, { ...values, updatedAt: () => 'now()' });
  else {
    await assertBelowLimit(tx, workspaceId, put.audience_id);
    await tx.insert<ObjectLiteral>(AudienceEntity, { ...key, ...values });
  }
  const row = await tx.findOneByOrFail(AudienceEntity, key);
  if (rebuild) {
    await rebuildMembers(transactionOf(tx), workspaceId, key.id);
    const data = { audience_id: key.id, audience_version: version, filter };
    await publishAudienceEvent(transactionOf(tx), outbox, workspaceId, 'audiences:updated', data);
  }
  return { row, rebuild };
}

/** Deletes an audience with its members; false where it does not exist. Needs the workspace's exclusive lock. */
async function removeAudience(manager: EntityManager, workspaceId: string, audienceId: string): Promise<boolean> {
  const key = { workspaceId, id: audienceId };
  const removed = await manager.findOne(AudienceEntity, { select: { servedMembership: true }, where: key });
  if (!removed) return false;
  await manager.delete(AudienceEntity, key);
  const tx = transactionOf(manager);
  const rebuild = await rebuildOf(tx, workspaceId, audienceId);
  await endRebuild(tx, workspaceId, audienceId);
  const memberships = [removed.servedMembership, rebuild?.membership ?? null, rebuild?.previous_membership ?? null];
  await discard(tx, workspaceId, memberships);
  return true;
}

/**
 * The filter after the put. The operator belongs to the filter: a new filter brings its own or none. An absent filter stays,
 * even where today's checks would refuse it.
 */
function filterAfter({ filter, operator }: PutAudience, stored: AudienceEntity): ParsedFilter {
  if (filter !== undefined) return parseFilter({ filter, operator });
  if (operator !== undefined) return parseFilter({ filter: stored.filter, operator });
  return stored;
}

/** Requests a rebuild, replacing one that is building. An announcing one finishes first and then requests the next. */
async function rebuildMembers(tx: Transaction, workspaceId: string, audienceId: string): Promise<void> {
  const rebuild = await rebuildOf(tx, workspaceId, audienceId);
  if (rebuild?.phase === 'announcing') return;
  if (rebuild) await discard(tx, workspaceId, [rebuild.membership]);
  await requestRebuild(tx, workspaceId, audienceId);
}

interface RebuildRow {
  phase: 'building' | 'announcing';
  membership: string;
  previous_membership: string | null;
}

async function rebuildOf(tx: Transaction, workspaceId: string, audienceId: string): Promise<RebuildRow | undefined> {
  return (await tx.query<RebuildRow>(REBUILD, [workspaceId, audienceId]))[0];
}

async function assertBelowLimit(tx: EntityManager, workspaceId: string, audienceId: string): Promise<void> {
  if ((await tx.countBy(AudienceEntity, { workspaceId })) < AUDIENCES_PER_WORKSPACE_MAX) return;
  throw invalid(`Audience ${audienceId} would be one too many: a workspace has at most ${AUDIENCES_PER_WORKSPACE_MAX}; delete one first`);
}
