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
  'events:unverified-skipped',
  'issued-tokens:revoked',
] as const;
export type AuditEventType = (typeof AUDIT_EVENT_TYPES)[number];

export class GetAuditEvent {
  /** Id of the event, as in the list. @example "6f1c0e3a-7d0b-4c7e-9a44-0d6b6a3f2e11" */
  @TextOf(1, 100) audit_event_id: string;
}

/** The actor: `operator` (the operators' interface) or `system` (the start of a process). */
class AuditActor {
  /** Who made the change: `operator` by the operators' interface, `system` at the start of a process. @example "operator" */
  @Text id: string;

  /** E-mail address of the actor; absent if it has none. @example "ops@example.com" */
  @OptionalText email?: string;
}

/** The changed resource, with its e-mail address if it has one. */
class AuditTarget {
  /** Id of what was changed: a workspace, an API key or a signing key. @example "6f1c0e3a-7d0b-4c7e-9a44-0d6b6a3f2e11" */
  @OptionalText id?: string;

  /** E-mail address of the account, if a workspace was changed. @example "ada@example.com" */
  @OptionalText email?: string;
}

export class AuditEvent {
  /** Id of the event. @example "6f1c0e3a-7d0b-4c7e-9a44-0d6b6a3f2e11" */
  @Text auditEventId: string;

  /** Always `tidings`. @example "tidings" */
  @Text source: string;

  /** When the change was made: ISO 8601 in UTC with milliseconds. @example "2026-03-01T10:00:00.000Z" */
  @Text timestamp: string;

  /** What changed. @example "api-key:created" */
  @IsIn(AUDIT_EVENT_TYPES) type: AuditEventType;

  /** Who made the change. */
  @IsNested(AuditActor) actor: AuditActor;

  /** What was changed. */
  @IsNested(AuditTarget) target: AuditTarget;
}

/** @property results The audit events of this page, the newest first. */
class AuditEventPage extends pageOf(AuditEvent) {}

export const auditEvents = defineOperations('identity.audit-events', 'audit-events', {
  /** Changes of access to the workspace: of the workspace, of API keys, of signing keys and of issued tokens. */
  list: {
    route: 'GET /audit-events',
    summary: 'List audit events, newest first',
    request: CursorQuery,
    response: AuditEventPage,
  },
  /** Answers 404 for an event of another workspace. */
  retrieve: {
    route: 'GET /audit-events/:audit_event_id',
    summary: 'Get an audit event',
    request: GetAuditEvent,
    response: AuditEvent,
  },
});
