import type { MessageDetails, MessageReason, MessageStatus, ProviderStatus } from '@tidings/contracts/messaging/messages';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';

/** Columns of `messages` that make a `MessageDetails`. */
export const MESSAGE_COLUMNS =
  'id, status, recipient, event, notification, enqueued_at, sent_at, delivered_at, opened_at, clicked_at, reason, error, tags, providers';

/** A row of `messages` as pg gives it: bigint comes as text. */
export interface MessageRow {
  id: string;
  status: MessageStatus;
  recipient: string;
  event: string;
  notification: string;
  enqueued_at: string;
  sent_at: string | null;
  delivered_at: string | null;
  opened_at: string | null;
  clicked_at: string | null;
  reason: MessageReason | null;
  error: string | null;
  tags: string[] | null;
  providers: ProviderStatus[] | null;
}

/** What a listing shows of a message. */
export function toMessage(row: MessageRow): MessageDetails {
  const { id, status, recipient, event, notification, enqueued_at, sent_at, delivered_at, opened_at, clicked_at, reason, error, tags } =
    row;
  return {
    id: uuidToMessageId(id),
    status,
    enqueued: Number(enqueued_at),
    ...(sent_at && { sent: Number(sent_at) }),
    ...(delivered_at && { delivered: Number(delivered_at) }),
    ...(opened_at && { opened: Number(opened_at) }),
    ...(clicked_at && { clicked: Number(clicked_at) }),
    recipient,
    event,
    notification,
    ...(error && { error }),
    ...(reason && { reason }),
    ...(tags && { tags }),
  };
}

/** What is shown of one message: its record with where each provider stands. */
export function toMessageRecord(row: MessageRow): MessageDetails {
  return { ...toMessage(row), providers: row.providers ?? [] };
}
