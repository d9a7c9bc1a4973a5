import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import type { MessageDetails } from '@tidings/contracts/messaging/messages';
import { type Queryable, statement } from '@tidings/persistence/database';
import { baseOf } from '../routing/make-step';
import type { MessageStep } from '../store/step';

/** Fields of a request to several recipients, from its expansion or from one of its messages. */
export type RequestFacts = Pick<
  MessageRequested,
  'workspaceId' | 'id' | 'recipient' | 'requestedAt' | 'mode' | 'event' | 'tags' | 'traceId' | 'idempotencyKey'
>;

/** The first event of a message names the target of its request, until the history is removed. */
const FACTS = statement(
  'messaging.request_facts',
  `select enqueued_at::float8 as "requestedAt", event, coalesce(tags, '[]') as tags, trace_id as "traceId",
          coalesce(history.events -> 0 -> 'send' ->> 'requestTarget', 'list:' || list_id) as recipient
     from messages left join history
       on history.workspace_id = messages.workspace_id and history.message_id = messages.id and history.number = 1
    where messages.workspace_id = $1 and messages.id = $2`,
);

type FactsRow = Pick<RequestFacts, 'requestedAt' | 'event' | 'tags'> & { traceId: string | null; recipient: string | null };

/** Fields of the request, read from its message `messageUuid`; undefined where that does not exist. */
export async function factsFrom(
  tx: Queryable,
  { workspaceId, uuid, messageUuid }: { workspaceId: string; uuid: string; messageUuid: string },
): Promise<RequestFacts | undefined> {
  const [row] = await tx.query<FactsRow>(FACTS, [workspaceId, messageUuid]);
  const id = uuidToMessageId(uuid);
  return row && { ...row, workspaceId, id, mode: 'production', recipient: row.recipient ?? id, traceId: row.traceId ?? undefined };
}

/** The first step of the request's own record, under its id. The content is stored with its messages. */
export function recordStep(facts: RequestFacts): MessageStep {
  const { workspaceId, id, recipient, requestedAt, mode, event, tags, traceId: trace_id, idempotencyKey: idempotency_key } = facts;
  // Empty targets mark it as a request, not a message.
  const request: MessageRequested = { workspaceId, id, recipient, requestedAt, mode, event, tags, profile: {}, data: {}, targets: [] };
  return { ...baseOf({ request, ts: requestedAt }), trace_id, idempotency_key, status: 'ENQUEUED', deliveries: [], open: null };
}

/** The answer for a request of which nothing could be canceled: it has no record of its own. */
export function recordOfSent({ id, recipient, requestedAt, event }: RequestFacts): MessageDetails {
  return { id, status: 'SENT', enqueued: requestedAt, recipient, event, notification: '', providers: [] };
}
