import { InjectRepository } from '@nestjs/typeorm';
import { notFound } from '@tidings/contracts/core/refusals';
import { isUUID } from 'class-validator';
import { Repository, type SelectQueryBuilder } from 'typeorm';
import type { CallContext } from '@tidings/contracts/core/context';
import { readInstant } from '@tidings/contracts/core/instant';
import { auditEvents, type GetAuditEvent, type ListAuditEvents } from '@tidings/contracts/identity/audit-events';
import { exactInstant, keysetPage } from '@tidings/persistence/keyset-page';
import { decodeCursor, encodeCursor, toResultsPage } from '@tidings/persistence/page';
import { Handles } from '@tidings/rpc/handles';
import { AuditEventEntity, toAuditEvent } from './audit-event.entity';

const PAGE_SIZE = 100;
/** Events that a page with a filter looks at: none of the filters has an index. */
const SCANNED_MAX = 20_000;

@Handles(auditEvents)
export class AuditEventsHandlers {
  constructor(@InjectRepository(AuditEventEntity) private readonly rows: Repository<AuditEventEntity>) {}

  async list({ workspaceId }: CallContext, { cursor, type, actor, target, before, ...rest }: ListAuditEvents) {
    rest satisfies Record<string, never>;
    const end = readInstant(before);
    const all = () => {
      const query = this.rows.createQueryBuilder('event').where({ workspaceId });
      return end ? query.andWhere('event.at < :end', { end }) : query;
    };
    const filters = [type, actor, target].map((filter) => filter ?? '');
    const isFiltered = filters.some((filter) => filter !== '');
    const tag = `audit-events ${workspaceId}${isFiltered || end ? JSON.stringify([...filters, end]) : ''}`;
    const query = all();
    if (type) query.andWhere(type.includes(':') ? { type } : 'event.type like :types', { types: `${type}:%` });
    if (actor) query.andWhere({ actorId: actor });
    if (target) query.andWhere({ targetId: target });
    const last = isFiltered
      ? await lastScanned(all(), cursor === undefined ? undefined : decodeCursor(tag, cursor, ['instant', 'uuid']))
      : undefined;
    if (last) query.andWhere('(event.at, event.id) >= (:lastAt, :lastId)', last);
    const page = await keysetPage(query, {
      tag,
      limit: PAGE_SIZE,
      cursor,
      orderedBy: ['at', 'id'],
      direction: 'DESC',
      toItem: toAuditEvent,
    });
    const paging = last && !page.paging.more ? { more: true, cursor: encodeCursor(tag, [last.lastAt, last.lastId]) } : page.paging;
    return toResultsPage({ ...page, paging });
  }

  async retrieve({ workspaceId }: CallContext, { audit_event_id: id }: GetAuditEvent) {
    const row = isUUID(id) ? await this.rows.findOneBy({ workspaceId, id }) : null;
    if (!row) throw notFound(`Audit event ${id} does not exist`);
    return toAuditEvent(row);
  }
}

/** The last event that a page looks at; undefined if it looks at all that there are. */
function lastScanned(query: SelectQueryBuilder<AuditEventEntity>, after: readonly unknown[] | undefined) {
  if (after) query.andWhere('(event.at, event.id) < (:afterAt, :afterId)', { afterAt: after[0], afterId: after[1] });
  return query
    .select(exactInstant('event.at'), 'lastAt')
    .addSelect('event.id', 'lastId')
    .orderBy('event.at', 'DESC')
    .addOrderBy('event.id', 'DESC')
    .offset(SCANNED_MAX - 1)
    .limit(1)
    .getRawOne<{ lastAt: string; lastId: string }>();
}
