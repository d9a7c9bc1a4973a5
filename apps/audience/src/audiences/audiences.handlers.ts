import { InjectRepository } from '@nestjs/typeorm';
import { notFound } from '@tidings/contracts/core/refusals';
import { type EntityManager, Repository } from 'typeorm';
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
import { Database, transactionOf } from '@tidings/persistence/database';
import { keysetPage } from '@tidings/persistence/keyset-page';
import { Outbox } from '@tidings/persistence/outbox';
import { decodeCursor, toPage } from '@tidings/persistence/page';
import { Handles } from '@tidings/rpc/handles';
import { AudienceEntity, toAudience } from './audience.entity';
import { parseFilter } from './filter/parse-filter';
import { type MemberRow, MEMBERS, toMember } from './member.rows';
import { RebuildWorker } from './rebuild/rebuild-worker';
import { putAudience, removeAudience } from './store-audience';
import { lockWorkspaceExclusive } from './workspace-lock';

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
