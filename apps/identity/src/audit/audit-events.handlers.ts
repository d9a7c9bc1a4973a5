import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { CursorQuery } from '@tidings/contracts/core/paging';
import {
  type AuditEvent,
  type AuditEventPage,
  auditEvents,
  type AuditEventType,
  type GetAuditEvent,
} from '@tidings/contracts/identity/audit-events';
import { Database, statement } from '@tidings/persistence/database';
import { decodeCursor, toPage, toResultsPage } from '@tidings/persistence/page';
import { Handles } from '@tidings/rpc/handles';
import { isUUID } from 'class-validator';
import { exactInstant } from '../keys/exact-instant';

const PAGE_LIMIT = 100;
const SOURCE = 'tidings';

interface AuditEventRow {
  audit_event_id: string;
  at: Date;
  type: AuditEventType;
  actor_id: string;
  actor_email: string | null;
  target_id: string | null;
  target_email: string | null;
}

const COLUMNS = 'audit_event_id, at, type, actor_id, actor_email, target_id, target_email';

const PAGE_COLUMNS = `${COLUMNS}, ${exactInstant('at')} as exact_at`;
const LIST = statement(
  'audit-events-list',
  `select ${PAGE_COLUMNS} from audit_events where workspace_id = $1 order by at desc, audit_event_id desc limit $2`,
);
const LIST_AFTER = statement(
  'audit-events-list-after',
  `select ${PAGE_COLUMNS} from audit_events where workspace_id = $1 and (at, audit_event_id) < ($3::timestamptz, $4::uuid)
    order by at desc, audit_event_id desc limit $2`,
);
const RETRIEVE = statement('audit-events-retrieve', `select ${COLUMNS} from audit_events where workspace_id = $1 and audit_event_id = $2`);

@Handles(auditEvents)
export class AuditEventsHandlers {
  constructor(private readonly db: Database) {}

  async list({ workspaceId }: CallContext, { cursor, ...rest }: CursorQuery): Promise<AuditEventPage> {
    rest satisfies Record<string, never>;
    const tag = `audit-events ${workspaceId}`;
    const after = cursor === undefined ? undefined : decodeCursor(tag, cursor, ['instant', 'uuid']);
    const rows = await this.db.query<AuditEventRow & { exact_at: string }>(after ? LIST_AFTER : LIST, [
      workspaceId,
      PAGE_LIMIT + 1,
      ...(after ?? []),
    ]);
    return toResultsPage(
      toPage(rows, {
        tag,
        limit: PAGE_LIMIT,
        cursorOf: ({ exact_at, audit_event_id }) => [exact_at, audit_event_id],
        toItem: toAuditEvent,
      }),
    );
  }

  async retrieve({ workspaceId }: CallContext, { audit_event_id, ...rest }: GetAuditEvent): Promise<AuditEvent> {
    rest satisfies Record<string, never>;
    const [row] = isUUID(audit_event_id) ? await this.db.query<AuditEventRow>(RETRIEVE, [workspaceId, audit_event_id]) : [];
    if (!row) throw new ServiceError('not_found', `Audit event ${audit_event_id} does not exist`);
    return toAuditEvent(row);
  }
}

function toAuditEvent({ audit_event_id, at, type, actor_id, actor_email, target_id, target_email }: AuditEventRow): AuditEvent {
  return {
    auditEventId: audit_event_id,
    source: SOURCE,
    timestamp: at.toISOString(),
    type,
    actor: { id: actor_id, ...(actor_email !== null && { email: actor_email }) },
    target: { ...(target_id !== null && { id: target_id }), ...(target_email !== null && { email: target_email }) },
  };
}
