import { InjectRepository } from '@nestjs/typeorm';
import { notFound } from '@tidings/contracts/core/refusals';
import { isUUID } from 'class-validator';
import { Repository } from 'typeorm';
import type { CallContext } from '@tidings/contracts/core/context';
import type { CursorQuery } from '@tidings/contracts/core/paging';
import { auditEvents, type GetAuditEvent } from '@tidings/contracts/identity/audit-events';
import { keysetPage } from '@tidings/persistence/keyset-page';
import { toResultsPage } from '@tidings/persistence/page';
import { Handles } from '@tidings/rpc/handles';
import { AuditEventEntity, toAuditEvent } from './audit-event.entity';

@Handles(auditEvents)
export class AuditEventsHandlers {
  constructor(@InjectRepository(AuditEventEntity) private readonly rows: Repository<AuditEventEntity>) {}

  async list({ workspaceId }: CallContext, { cursor }: CursorQuery) {
    return toResultsPage(
      await keysetPage(this.rows.createQueryBuilder('event').where({ workspaceId }), {
        tag: `audit-events ${workspaceId}`,
        limit: 100,
        cursor,
        orderedBy: ['at', 'id'],
        direction: 'DESC',
        toItem: toAuditEvent,
      }),
    );
  }

  async retrieve({ workspaceId }: CallContext, { audit_event_id: id }: GetAuditEvent) {
    const row = isUUID(id) ? await this.rows.findOneBy({ workspaceId, id }) : null;
    if (!row) throw notFound(`Audit event ${id} does not exist`);
    return toAuditEvent(row);
  }
}
