import { IsIn } from 'class-validator';
import { Int, OptionalInt, Text, Uuid } from '../core/fields';
import { defineEvent } from '../core/event';

/** The kinds of content that a send may load. */
const CONTENT_KINDS = ['template', 'tenant_template', 'brand', 'routing_strategy', 'translation', 'event_mapping'] as const;
export type ContentKind = (typeof CONTENT_KINDS)[number];

/** A change of a workspace's content: consumers drop their cached copy. */
export class ContentChanged {
  @Uuid workspaceId: string;

  @IsIn(CONTENT_KINDS) kind: ContentKind;

  /** The id of the resource; of a tenant's template `<tenant id>/<template id>`; of a translation its locale. */
  @Text id: string;
}

export const contentChanged = defineEvent({
  topic: 'tidings.content-changed.v1',
  key: ['workspaceId', 'kind', 'id'],
  payload: ContentChanged,
  summary: 'Published content changed or was deleted',
  from: 'content',
  to: ['messaging'],
});

const NOTIFICATION_EVENT_TYPES = ['notification:submitted', 'notification:submission_canceled', 'notification:published'] as const;
export type NotificationEventType = (typeof NOTIFICATION_EVENT_TYPES)[number];

/** An event of a workspace's templates, for its webhooks. */
class NotificationEvent {
  @Uuid workspaceId: string;

  /** Id of the template. */
  @Text notificationId: string;

  @IsIn(NOTIFICATION_EVENT_TYPES) type: NotificationEventType;

  /** When it happened, ms since the epoch. */
  @Int at: number;

  /** For submissions: when the template was submitted, ms since the epoch. */
  @OptionalInt submissionId?: number;
}

export const notificationHappened = defineEvent({
  topic: 'tidings.notification-events.v1',
  key: ['workspaceId', 'notificationId'],
  payload: NotificationEvent,
  summary: 'A template was published, submitted for checks, or its submission canceled',
  from: 'content',
  to: ['messaging'],
});
