import { messageIdToUuid, newMessageId } from '@tidings/contracts/messaging/message-id';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { MessageStatus } from '@tidings/contracts/messaging/message-states';
import type { Messaging } from './start-messaging';

/** Fields of a message row; absent ones get defaults. */
export interface StoredMessage {
  /** When it was accepted, ms since the epoch. Default: now. */
  at?: number;
  id?: string;
  workspace_id?: string;
  status?: MessageStatus;
  recipient?: string;
  event?: string;
  notification?: string;
  tags?: string[];
  trace_id?: string;
  list_id?: string;
  tenant_id?: string;
  /** Id of the request. */
  request?: string;
  job_id?: string;
  idempotency_key?: string;
  archived?: boolean;
  /** Providers in the order they were tried: the key of the kind, and after a colon the id of the configuration. */
  providers?: string[];
  history?: HistoryEvent[];
}

const INSERT = `
  with input as (
    select * from json_to_recordset($1::json) as row(
      workspace_id uuid, id uuid, status text, recipient text, event text, notification text, at bigint, tags jsonb, trace_id text,
      list_id text, tenant_id text, request_id uuid, job_id text, idempotency_key text, archived boolean, providers jsonb)
  )
  insert into messaging.messages (workspace_id, id, status, recipient, event, notification, enqueued_at, tags, trace_id, list_id, tenant_id,
                                  request_id, job_id, idempotency_key, archived, providers, last_number, last_event_at)
  select workspace_id, id, status, recipient, event, notification, at, tags, trace_id, list_id, tenant_id, request_id, job_id, idempotency_key,
         archived, providers, 1, at from input`;

/** Inserts messages, and their history if given, into the tables; resolves with their ids. */
export async function storeMessages(messaging: Messaging, messages: readonly StoredMessage[]): Promise<string[]> {
  const now = Date.now();
  const ids = messages.map(({ id, at = now }) => id ?? newMessageId(at));
  const rows = messages.map(({ at = now, request, providers, ...fields }, index) => ({
    workspace_id: messaging.workspaceId,
    status: 'DELIVERED',
    recipient: 'ada',
    event: '',
    notification: '',
    archived: false,
    at,
    ...fields,
    id: messageIdToUuid(ids[index]!),
    request_id: request && messageIdToUuid(request),
    providers: providers?.map((name) => {
      const [provider, configuration_id] = name.split(':');
      return { channel: { key: 'email', template: '' }, provider, configuration_id, status: 'SENT' };
    }),
  }));
  await messaging.rows(INSERT, [JSON.stringify(rows)]);
  for (const [index, { history, at = now, workspace_id = messaging.workspaceId }] of messages.entries()) {
    if (!history) continue;
    await messaging.rows(`insert into messaging.history (workspace_id, message_id, number, at, events) values ($1, $2, 1, $3, $4)`, [
      workspace_id,
      messageIdToUuid(ids[index]!),
      at,
      JSON.stringify(history),
    ]);
  }
  return ids;
}
