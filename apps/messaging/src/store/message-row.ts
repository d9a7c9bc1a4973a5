import type { MessageReason, MessageStatus } from '@tidings/contracts/messaging/message-states';
import type { MessageDetails, ProviderStatus } from '@tidings/contracts/messaging/messages';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import type { LeafRecord } from './leaf-record';

/** Columns of `messages` that make a `MessageDetails`. */
export const MESSAGE_COLUMNS =
  'id, status, recipient, event, notification, enqueued_at, sent_at, delivered_at, opened_at, clicked_at, canceled_at, reason, error, ' +
  'tags, list_id, request_id, job_id, idempotency_key, providers';

/** Of one message: columns that make all of its record, of a request's what canceling it came to. */
export const RECORD_COLUMNS = `${MESSAGE_COLUMNS}, case when status = 'CANCELED' then (
  select json_build_object('canceled', one.canceled, 'left', one.too_late) from request_cancellations one
   where one.workspace_id = messages.workspace_id and one.request_id = messages.id) end as counts`;

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
  canceled_at: string | null;
  reason: MessageReason | null;
  error: string | null;
  tags: string[] | null;
  list_id: string | null;
  /** The request (uuid) of a send to several; null where the message is all of its request. */
  request_id: string | null;
  job_id: string | null;
  idempotency_key: string | null;
  providers: LeafRecord[] | null;
  /** Of the record of a request that was canceled; only with `RECORD_COLUMNS`. */
  counts?: Pick<MessageDetails, 'canceled' | 'left'> | null;
}

/** What a listing shows of a message. */
export function toMessage(row: MessageRow): MessageDetails {
  const { id, status, recipient, event, notification, enqueued_at, sent_at, delivered_at, opened_at, clicked_at, canceled_at } = row;
  const { reason, error, tags, list_id, request_id, job_id, idempotency_key } = row;
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
    ...(canceled_at && { canceledAt: Number(canceled_at) }),
    ...(tags && { tags }),
    ...(list_id && { listId: list_id }),
    ...(request_id && { listMessageId: uuidToMessageId(request_id) }),
    ...(job_id && { jobId: job_id }),
    ...(idempotency_key && { idempotencyKey: idempotency_key }),
  };
}

/** What is shown of one message: its record with where each provider stands. */
export function toMessageRecord(row: MessageRow): MessageDetails {
  return { ...toMessage(row), ...row.counts, providers: (row.providers ?? []).flatMap(toProviderStatus) };
}

/**
 * Why a leaf failed stands with its event; here it only decides what the message says when all of them did. With what was simulated no
 * provider stands anywhere: its event says which one would have been called.
 */
function toProviderStatus({ reason: _reason, status, ...shown }: LeafRecord): ProviderStatus[] {
  return status === 'SIMULATED' ? [] : [{ ...shown, status }];
}
