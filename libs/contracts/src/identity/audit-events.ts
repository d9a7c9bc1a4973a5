import { IsIn } from 'class-validator';
import { IsNested, OptionalText, Text, TextOf } from '../core/fields';
import { defineOperations } from '../core/operation';
import { CursorQuery, pageOf } from '../core/paging';

/** The audited changes: all concern access. */
const AUDIT_EVENT_TYPES = [
  'workspace:created',
  'workspace:email-changed',
  'api-key:created',
  'api-key:rotated',
  'api-key:revoked',
  'signing-key:rotated',
  'issued-tokens:revoked',
] as const;
export type AuditEventType = (typeof AUDIT_EVENT_TYPES)[number];

export class GetAuditEvent {
  @TextOf(1, 100) audit_event_id: string;
}

/** The actor: `operator` (the operators' interface) or `system` (the start of a process). */
class AuditActor {
  @Text id: string;

  @OptionalText email?: string;
}

/** The changed resource, with its e-mail address if it has one. */
class AuditTarget {
  @OptionalText id?: string;

  @OptionalText email?: string;
}

export class AuditEvent {
  @Text auditEventId: string;

  @Text source: string;

  /** ISO 8601. */
  @Text timestamp: string;

  @IsIn(AUDIT_EVENT_TYPES) type: AuditEventType;

  @IsNested(AuditActor) actor: AuditActor;

  @IsNested(AuditTarget) target: AuditTarget;
}

class AuditEventPage extends pageOf(AuditEvent) {}

export const auditEvents = defineOperations('identity.audit-events', 'audit-events', {
  list: {
    route: 'GET /audit-events',
    summary: 'List audit events, newest first',
    request: CursorQuery,
    response: AuditEventPage,
  },
  retrieve: {
    route: 'GET /audit-events/:audit_event_id',
    summary: 'Get an audit event',
    request: GetAuditEvent,
    response: AuditEvent,
  },
});
