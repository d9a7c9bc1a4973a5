import { IsIn } from 'class-validator';
import { ACTOR_TYPES, type ActorType, AUDIT_EVENT_TYPES, AUDITED_RESOURCES, type AuditEventType } from '../core/audit';
import { defineEvent } from '../core/event';
import {
  IsNested,
  MaybeNested,
  Optional,
  OptionalOneOf,
  OptionalText,
  OptionalTextOf,
  OptionalTexts,
  Text,
  TextOf,
  Texts,
  Uuid,
} from '../core/fields';
import { IsInstant } from '../core/instant';
import { defineOperations } from '../core/operation';
import { CursorQuery, pageOf } from '../core/paging';

/** Longest id of an actor or a target: a target may consist of two ids. */
const ID_LENGTH_MAX = 1_024;

export class ListAuditEvents extends CursorQuery {
  /** Only events of this type, or about this resource: the part of the types before the colon. @example "api-key" */
  @OptionalOneOf([...AUDITED_RESOURCES, ...AUDIT_EVENT_TYPES]) type?: string | null;

  /** Only events with this `actor.id`. @example "alice" */
  @OptionalTextOf(1, ID_LENGTH_MAX) actor?: string | null;

  /** Only events with this `target.id`. @example "6f1c0e3a-7d0b-4c7e-9a44-0d6b6a3f2e11" */
  @OptionalTextOf(1, ID_LENGTH_MAX) target?: string | null;

  /** Only events before this instant, ISO 8601. @example "2026-03-01T12:00:00Z" */
  @Optional(IsInstant) before?: string | null;
}

export class GetAuditEvent {
  /** Id of the event, as in the list. @example "6f1c0e3a-7d0b-4c7e-9a44-0d6b6a3f2e11" */
  @TextOf(1, 100) audit_event_id: string;
}

/** The holder of the credential. */
class AuditActor {
  /**
   * The operator's name; the id of the API key, or of the one that issued the token; the issuer's subject of a person who signed in to the
   * console; `system` for the start of a process. `operator` in events from before operators had names.
   * @example "alice"
   */
  @Text id: string;

  /** Which of them; absent in events from before operators had names. @example "operator" */
  @Optional(IsIn(ACTOR_TYPES)) type?: ActorType;

  /** Name of the API key, or of the person; absent if it has none. @example "Shop backend" */
  @OptionalText name?: string;

  /** The API key's last four characters; absent where they are not stored. @example "wxyz" */
  @OptionalText hint?: string;

  /** The users whom an issued token names, at most ten. @example ["ada"] */
  @OptionalTexts users?: string[];

  /** E-mail address of the actor; absent if it has none. @example "ops@example.com" */
  @OptionalText email?: string;
}

/** The changed resource, with its e-mail address if it has one. */
class AuditTarget {
  /**
   * Id of what was changed, or of what it belongs to: an API key, a template, a list, a user. Of a tenant's template `tenant/template`, of a
   * translation `domain/locale`. An erased user has `erased:` and the SHA-256 of `workspace id:user id`, in hex.
   * @example "6f1c0e3a-7d0b-4c7e-9a44-0d6b6a3f2e11"
   */
  @OptionalText id?: string;

  /** E-mail address of the account, if a workspace was changed. @example "ada@example.com" */
  @OptionalText email?: string;
}

/** Names of the changed fields, never their values; at most 100 on a side. A field of an object is named with it: `settings.colors`. */
class AuditChanges {
  /** The changed fields that had a value before. @example ["name", "settings.colors"] */
  @Texts before: string[];

  /** The changed fields that have a value now. @example ["name", "settings.colors", "snippets.items"] */
  @Texts after: string[];
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

  /** The operation, by its `operationId` in the documents; absent in events from before it was recorded. @example "content.brands.replace" */
  @OptionalText operation?: string;

  /** The names of the changed fields; absent in events from before they were recorded. */
  @Optional(MaybeNested(AuditChanges)) changes?: AuditChanges;
}

/** An audited change of a service, for identity, which stores the event. */
export class AuditRecord {
  /** That of internal calls: the event is one of every workspace. */
  @Uuid workspaceId: string;

  @Uuid id: string;

  /** When the change was made: ISO 8601 in UTC with microseconds. */
  @Text at: string;

  @IsIn(AUDIT_EVENT_TYPES) type: AuditEventType;

  @Text operation: string;

  @IsNested(AuditActor) actor: AuditActor;

  @OptionalText targetId?: string;

  /** Names of the changed fields with a value before. */
  @Texts before: string[];

  /** Names of the changed fields with a value after. */
  @Texts after: string[];
}

export const auditRecorded = defineEvent({
  topic: 'tidings.audit-events.v1',
  key: ['workspaceId', 'id'],
  payload: AuditRecord,
  summary: 'An operator, an API key or a token changed something',
  from: 'content',
  alsoFrom: ['audience', 'messaging'],
  to: ['identity'],
});

/** @property results The audit events of this page, the newest first. */
class AuditEventPage extends pageOf(AuditEvent) {}

export const auditEvents = defineOperations('identity.audit-events', 'audit-events', {
  /**
   * Changes by operators, API keys and issued tokens; sends are not among them, they have a history. With `type`, `actor` or `target` a page
   * looks at 20,000 events at most, so that it may have few or none although there are `more`.
   */
  list: {
    route: 'GET /audit-events',
    summary: 'List audit events, newest first',
    request: ListAuditEvents,
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
