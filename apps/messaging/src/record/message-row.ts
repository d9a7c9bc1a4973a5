import type { MessageReason, MessageStatus } from '@tidings/contracts/messaging/message-states';
import type { MessageDetails, ProviderStatus } from '@tidings/contracts/messaging/messages';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import { statement } from '@tidings/persistence/statement';
import type { LeafRecord } from './leaf-record';
import { type RouteInProgress, ROUTES_IN_PROGRESS, toProviderStatus } from './routes-in-progress';

/** Columns of `messages` for a `MessageDetails`. */
export const MESSAGE_COLUMNS =
  'id, status, recipient, event, notification, enqueued_at, sent_at, delivered_at, opened_at, clicked_at, canceled_at, reason, error, ' +
  'tags, list_id, request_id, job_id, idempotency_key, providers';

// SQL because messages have no entity, and one statement adds the counts of a canceled request and the routes in progress.
/** The whole record of one message ($1 workspace, $2 uuid); for the record of a request, including the result of canceling it. */
export const RECORD = statement(
  'messaging.record',
  `select ${MESSAGE_COLUMNS}, case when status = 'CANCELED' then (
     select json_build_object('canceled', one.canceled, 'left', one.too_late) from request_cancellations one
      where one.workspace_id = messages.workspace_id and one.request_id = messages.id) end as counts,
     ${ROUTES_IN_PROGRESS} as in_progress
     from messages where workspace_id = $1 and id = $2`,
);

/** A row of `messages` as pg returns it: bigint as text. */
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
  /** The request (uuid) of a send to several recipients; null where the message is the whole request. */
  request_id: string | null;
  job_id: string | null;
  idempotency_key: string | null;
  providers: LeafRecord[] | null;
  /** On the record of a canceled request; only with `RECORD`. */
  counts?: Pick<MessageDetails, 'canceled' | 'left'> | null;
  /** Absent where they are not read: the record on a topic names the routes that ended. */
  in_progress?: readonly RouteInProgress[] | null;
}

function toMessage(row: MessageRow): MessageDetails {
  const { id, status, recipient, event, notification, error, reason, tags, list_id, request_id, job_id, idempotency_key } = row;
  return {
    id: uuidToMessageId(id),
    status,
    enqueued: Number(row.enqueued_at),
    sent: toMs(row.sent_at),
    delivered: toMs(row.delivered_at),
    opened: toMs(row.opened_at),
    clicked: toMs(row.clicked_at),
    recipient,
    event,
    notification,
    error: error || undefined,
    reason: reason ?? undefined,
    canceledAt: toMs(row.canceled_at),
    tags: tags ?? undefined,
    listId: list_id || undefined,
    listMessageId: request_id ? uuidToMessageId(request_id) : undefined,
    jobId: job_id || undefined,
    idempotencyKey: idempotency_key || undefined,
  };
}

function toMs(bigint: string | null) {
  return bigint === null ? undefined : Number(bigint);
}

/** The record of one message, with its routes: those that ended, then those in progress. */
export function toMessageRecord(row: MessageRow): MessageDetails {
  return {
    ...toMessage(row),
    ...row.counts,
    // The reason of a failed leaf is shown in its event; here it only decides the message's own reason. A simulated leaf has no provider
    // status: its event names the provider that would have been called. Older records do not count attempts.
    providers: (row.providers ?? [])
      .flatMap<ProviderStatus>(({ reason: _reason, failure: _failure, deliveredParts: _parts, channel, status, attempts, ...shown }) => {
        if (status === 'SIMULATED') return [];
        const counted = attempts ?? (shown.configuration_id === undefined ? undefined : 1);
        return [{ channel: { key: channel.key, template: row.notification }, ...shown, status, attempts: counted }];
      })
      .concat((row.in_progress ?? []).map((route) => toProviderStatus(route, row.notification))),
  };
}

/** The record of a message as lists show it: without answers of providers, so that a page stays small. */
export function toListedMessage(row: MessageRow): MessageDetails {
  const { providers, ...message } = toMessageRecord(row);
  return { ...message, providers: providers?.map(({ providerResponse: _response, ...shown }) => shown) };
}
