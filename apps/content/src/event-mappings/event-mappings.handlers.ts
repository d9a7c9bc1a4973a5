import { InjectRepository } from '@nestjs/typeorm';
import { notFound } from '@tidings/contracts/core/refusals';
import { type EntityManager, Repository } from 'typeorm';
import { EVENT_MAPPINGS_PAGE_MAX, eventMappings, type NamedEvent, type PutEventMapping } from '@tidings/contracts/content/event-mappings';
import type { CallContext } from '@tidings/contracts/core/context';
import { keysetPage } from '@tidings/persistence/keyset-page';
import { Outbox } from '@tidings/persistence/outbox';
import { toResultsPage } from '@tidings/persistence/page';
import { Handles } from '@tidings/rpc/handles';
import { publishChange } from '../publish-change';
import { EventMappingEntity, toEventMapping } from './event-mapping.entity';
import type { CursorQuery } from '@tidings/contracts/core/paging';

@Handles(eventMappings)
export class EventMappingsHandlers {
  constructor(
    @InjectRepository(EventMappingEntity) private readonly rows: Repository<EventMappingEntity>,
    private readonly outbox: Outbox,
  ) {}

  async replace({ workspaceId }: CallContext, request: PutEventMapping, tx: EntityManager) {
    const { event_id: eventId, id: notificationId, type: kind, ...rest } = request;
    rest satisfies Record<string, never>;
    kind satisfies 'notification';
    await tx.upsert(EventMappingEntity, { workspaceId, eventId, notificationId, updatedAt: () => 'now()' }, ['workspaceId', 'eventId']);
    await publishChange(this.outbox, tx, { workspaceId, kind: 'event_mapping', id: eventId });
    return { status: 'SUCCESS' as const };
  }

  async list({ workspaceId }: CallContext, { cursor }: CursorQuery) {
    const query = this.rows.createQueryBuilder('mapping').where('mapping.workspaceId = :workspaceId', { workspaceId });
    return toResultsPage(
      await keysetPage(query, {
        tag: `event-mappings ${workspaceId}`,
        limit: EVENT_MAPPINGS_PAGE_MAX,
        cursor,
        orderedBy: ['eventId'],
        toItem: toEventMapping,
      }),
    );
  }

  async retrieve({ workspaceId }: CallContext, { event_id: eventId }: NamedEvent) {
    const row = await this.rows.findOneBy({ workspaceId, eventId });
    if (!row) throw notFound(`Event ${eventId} is not mapped to a notification`);
    return toEventMapping(row);
  }
}
