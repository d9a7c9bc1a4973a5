import { IsIn } from 'class-validator';
import { defineEvent } from '../core/event';
import { Int, OptionalInt, Text, Uuid } from '../core/fields';

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
