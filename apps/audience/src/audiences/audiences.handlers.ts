import { InjectRepository } from '@nestjs/typeorm';
import { invalid, notFound } from '@tidings/contracts/core/refusals';
import { type EntityManager, type ObjectLiteral, Repository } from 'typeorm';
import {
  AUDIENCE_MEMBERS_PAGE_SIZE,
  type AudienceMember,
  audiences,
  AUDIENCES_PAGE_SIZE,
  type ListAudienceMembers,
  type NamedAudience,
  type PutAudience,
} from '@tidings/contracts/audience/audiences';
import type { CallContext } from '@tidings/contracts/core/context';
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
import { type FilterInput, type ParsedFilter, parseFilter } from './filter/parse-filter';
import { RebuildWorker } from './rebuild/rebuild-worker';
import { type Claim, discard, endRebuild, requestRebuild } from './rebuild/rebuild-queue';
import { lockWorkspaceExclusive } from './workspace-lock';

// SQL because rebuilds are a queue with leases, without an entity.
const REBUILD = statement(
  'audience-rebuilds-of-audience',
  `select phase, membership, previous_membership as "previousMembership"
     from audience_rebuilds where workspace_id = $1 and audience_id = $2`,
);

// SQL because one statement reads the members of one version, and TypeORM has no lateral join.
/**
 * Members of the served version after the user $3. A row without user where there are none, no row where the audience does not
 * exist. $1 workspace, $2 audience, $4 limit.
 */
const MEMBERS = statement(
  'audience-members-page',
  `select to_char(member.added_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as added_at,
          audiences.audience_id, served_version as audience_version, member.user_id as member_id, member.reason
     from audiences left join lateral (
       select user_id, reason, added_at from audience_members
        where workspace_id = audiences.workspace_id and membership = audiences.served_membership and user_id > $3
        order by user_id limit $4) as member on true
    where audiences.workspace_id = $1 and audiences.audience_id = $2 order by member.user_id`,
);

@Handles(audiences)
export class AudiencesHandlers {
  constructor(
    @InjectRepository(AudienceEntity) private readonly rows: Repository<AudienceEntity>,
    private readonly database: Database,
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
  async preparePut(_: CallContext, { filter, operator }: PutAudience) {
    if (filter !== undefined) parseFilter({ filter, operator });
  }

  /**
   * Creates an audience or changes its given fields: absent ones stay, `null` clears. A filter of another meaning makes a new
   * version, another spelling of the same one does not.
   */
  async put({ workspaceId }: CallContext, request: PutAudience, manager: EntityManager) {
    // Older clients repeat the id of the path in `id`; the path counts.
    const { audience_id, id: _, name, description, filter, operator, ...rest } = request;
    rest satisfies Record<string, never>;
    const key = { workspaceId, id: audience_id };
    const tx = transactionOf(manager);
    await lockWorkspaceExclusive(manager, workspaceId);
    const stored = await manager
      .createQueryBuilder(AudienceEntity, 'audience')
      .addSelect('audience.rule')
      .where(key)
      .setLock('pessimistic_write')
      .getOne();
    const parsed = filterAfter({ filter, operator }, stored);
    const rebuild = !stored || !sameFilter(stored.rule, parsed.rule);
    const version = (stored?.version ?? 0) + (rebuild ? 1 : 0);
    const values = {
      name: (name === undefined ? stored?.name : name) ?? '',
      description: (description === undefined ? stored?.description : description) ?? '',
      filter: parsed.filter,
      operator: parsed.operator,
      rule: parsed.rule,
      version,
    };
    // `ObjectLiteral`: TypeORM's type of values does not accept the readonly parts of a rule.
    if (stored) await manager.update<ObjectLiteral>(AudienceEntity, key, { ...values, updatedAt: () => 'now()' });
    else {
      const count = await manager.countBy(AudienceEntity, { workspaceId });
      if (count >= AUDIENCES_PER_WORKSPACE_MAX) {
        throw invalid(
          `Audience ${audience_id} would be one too many: a workspace has at most ${AUDIENCES_PER_WORKSPACE_MAX}; delete one first`,
        );
      }
      await manager.insert<ObjectLiteral>(AudienceEntity, { ...key, ...values });
    }
    if (rebuild) {
      await rebuildMembers(tx, workspaceId, audience_id);
      const data = { audience_id, audience_version: version, filter: parsed.filter };
      await publishAudienceEvent(tx, this.outbox, workspaceId, 'audiences:updated', data);
      tx.afterCommit(() => this.rebuilds.wake());
    }
    return { audience: toAudience(await manager.findOneByOrFail(AudienceEntity, key)) };
  }

  async remove({ workspaceId }: CallContext, { audience_id: id }: NamedAudience, manager: EntityManager) {
    const tx = transactionOf(manager);
    await lockWorkspaceExclusive(manager, workspaceId);
    const removed = await manager.findOne(AudienceEntity, { select: { servedMembership: true }, where: { workspaceId, id } });
    if (!removed) throw noAudience(id);
    await manager.delete(AudienceEntity, { workspaceId, id });
    const rebuild = await rebuildOf(tx, workspaceId, id);
    await endRebuild(tx, workspaceId, id);
    await discard(tx, workspaceId, [removed.servedMembership, rebuild?.membership, rebuild?.previousMembership]);
    tx.afterCommit(() => this.rebuilds.wake());
  }

  async members({ workspaceId }: CallContext, { audience_id, cursor }: ListAudienceMembers) {
    const tag = `audience-members ${workspaceId} ${audience_id}`;
    const [after] = cursor === undefined ? [''] : decodeCursor(tag, cursor, ['text']);
    const rows = await this.database.query<AudienceMember | { member_id: null }>(MEMBERS, [
      workspaceId,
      audience_id,
      after,
      AUDIENCE_MEMBERS_PAGE_SIZE + 1,
    ]);
    if (rows.length === 0) throw noAudience(audience_id);
    const present = rows.filter((row) => row.member_id !== null);
    return toPage(present, {
      tag,
      limit: AUDIENCE_MEMBERS_PAGE_SIZE,
      cursorOf: ({ member_id }) => [member_id],
      toItem: (member) => member,
    });
  }
}

const noAudience = (audienceId: string) => notFound(`Audience ${audienceId} does not exist`);

/**
 * The filter after a put. The operator belongs to the filter: a new filter brings its own or none. An absent filter stays,
 * even where today's checks would refuse it.
 * @throws ServiceError `invalid_request` for a wrong filter.
 */
function filterAfter({ filter, operator }: FilterInput, stored: AudienceEntity | null): ParsedFilter {
  if (!stored || filter !== undefined) return parseFilter({ filter, operator });
  return operator === undefined ? stored : parseFilter({ filter: stored.filter, operator });
}

/** Requests a rebuild, replacing one that is building. An announcing one finishes first and then requests the next. */
async function rebuildMembers(tx: Transaction, workspaceId: string, audienceId: string) {
  const rebuild = await rebuildOf(tx, workspaceId, audienceId);
  if (rebuild?.phase === 'announcing') return;
  if (rebuild) await discard(tx, workspaceId, [rebuild.membership]);
  await requestRebuild(tx, workspaceId, audienceId);
}

async function rebuildOf(tx: Transaction, workspaceId: string, audienceId: string) {
  return (await tx.query<Pick<Claim, 'phase' | 'membership' | 'previousMembership'>>(REBUILD, [workspaceId, audienceId]))[0];
}
