import { IsIn, IsInt, IsOptional, IsString, IsUUID } from 'class-validator';
import { defineEvent } from '../core/event';

const NOTIFICATION_EVENT_TYPES = ['notification:submitted', 'notification:submission_canceled', 'notification:published'] as const;
export type NotificationEventType = (typeof NOTIFICATION_EVENT_TYPES)[number];

/** Something that a workspace wants to hear of its templates. */
class NotificationEvent {
  @IsUUID()
  workspaceId!: string;

  /** Of the template. */
  @IsString()
  notificationId!: string;

  @IsIn(NOTIFICATION_EVENT_TYPES)
  type!: NotificationEventType;

  /** When it happened, ms since the epoch. */
  @IsInt()
  at!: number;

  /** Of submissions: when it was submitted, ms since the epoch. */
  @IsOptional()
  @IsInt()
  submissionId?: number;
}

export const notificationHappened = defineEvent({
  topic: 'tidings.notification-events.v1',
  key: ['workspaceId', 'notificationId'],
  payload: NotificationEvent,
  summary: 'A template was published, submitted for checks, or its submission canceled',
  from: 'content',
  to: ['messaging'],
});
