import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import type { MessageDetails } from '@tidings/contracts/messaging/messages';
import { type Queryable, statement } from '@tidings/persistence/database';
import type { MessageStep } from '../store/step';
import { enqueuedEvent } from '../store/stored-request';

/** Fields of a request to several recipients, from its expansion or from one of its messages. */
export type RequestFacts = Pick<
  MessageRequested,
  'workspaceId' | 'id' | 'recipient' | 'requestedAt' | 'mode' | 'event' | 'tags' | 'traceId' | 'idempotencyKey'
>;

/** The first event of a message names the target of its request, until the history is removed. */
const FACTS = statement(
  'messaging.request_facts',
  `select enqueued_at, event, tags, trace_id, list_id, history.events -> 0 -> 'send' ->> 'requestTarget' as target
     from messages left join history
       on history.workspace_id = messages.workspace_id and history.message_id = messages.id and history.number = 1
    where messages.workspace_id = $1 and messages.id = $2`,
);

interface FactsRow {
  enqueued_at: string;
  event: string;
  tags: string[] | null;
  trace_id: string | null;
  list_id: string | null;
  target: string | null;
}

/** Fields of the request, read from its message `messageUuid`; undefined where that does not exist. */
export async function factsFrom(
  tx: Queryable,
  { workspaceId, uuid, messageUuid }: { workspaceId: string; uuid: string; messageUuid: string },
): Promise<RequestFacts | undefined> {
  const [row] = await tx.query<FactsRow>(FACTS, [workspaceId, messageUuid]);
  if (!row) return undefined;
  const { target, list_id, trace_id } = row;
  const id = uuidToMessageId(uuid);
  return {
    workspaceId,
    id,
    recipient: target ?? (list_id === null ? id : `list:${list_id}`),
    requestedAt: Number(row.enqueued_at),
    mode: 'production',
    event: row.event,
    tags: row.tags ?? [],
    traceId: trace_id ?? undefined,
  };
}

/** The first step of the request's own record, under its id. The content is stored with its messages. */
export function recordStep(facts: RequestFacts, uuid: string): MessageStep {
  const { workspaceId, id, recipient, requestedAt, mode, event, tags, traceId, idempotencyKey } = facts;
  // Empty targets mark it as a request, not a message.
  const bare: MessageRequested = { workspaceId, id, recipient, requestedAt, mode, event, tags, profile: {}, data: {}, targets: [] };
  return {
    workspaceId,
    uuid,
    status: 'ENQUEUED',
    recipient,
    event,
    notification: '',
    enqueued_at: requestedAt,
    tags: tags.length > 0 ? tags : undefined,
    trace_id: traceId,
    idempotency_key: idempotencyKey,
    at: requestedAt,
    events: [enqueuedEvent(bare)],
    deliveries: [],
    open: null,
  };
}

/** The answer for a request of which nothing could be canceled: it has no record of its own. */
export function recordOfSent({ id, recipient, requestedAt, event }: RequestFacts): MessageDetails {
  return { id, status: 'SENT', enqueued: requestedAt, recipient, event, notification: '', providers: [] };
}
