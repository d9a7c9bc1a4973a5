import { IsIn, IsInt, IsString, IsUUID } from 'class-validator';
import { defineEvent } from '../core/event';
import { Optional } from '../core/fields';

const NOTIFICATION_EVENT_TYPES = ['notification:submitted', 'notification:submission_canceled', 'notification:published'] as const;
export type NotificationEventType = (typeof NOTIFICATION_EVENT_TYPES)[number];

/** An event of a workspace's templates, for its webhooks. */
class NotificationEvent {
  @IsUUID() workspaceId!: string;

  /** Id of the template. */
  @IsString() notificationId!: string;

  @IsIn(NOTIFICATION_EVENT_TYPES) type!: NotificationEventType;

  /** When it happened, ms since the epoch. */
  @IsInt() at!: number;

  /** For submissions: when the template was submitted, ms since the epoch. */
  @Optional(IsInt()) submissionId?: number;
}

export const notificationHappened = defineEvent({
  topic: 'tidings.notification-events.v1',
  key: ['workspaceId', 'notificationId'],
  payload: NotificationEvent,
  summary: 'A template was published, submitted for checks, or its submission canceled',
  from: 'content',
  to: ['messaging'],
});
