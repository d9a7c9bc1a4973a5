import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { type Queryable, statement } from '@tidings/persistence/database';
import type { Cancelable } from '../store/cancel-store';
import type { MessageStep } from '../store/step';
import { storeSteps } from '../store/step-store';
import { enqueuedEvent } from '../store/stored-request';

const DELETE_EXPANSION = statement(
  'messaging.delete_expansion_of',
  `delete from expansions where workspace_id = $1 and request_id = $2 and request ->> 'jobId' is null returning request`,
);

/**
 * A request whose recipients are still being found gets a record of its own, under its id, to be canceled; nobody else is found for it,
 * and of a page that is being made nothing more is stored. Of any other id nothing changes, also of a bulk job's: its run is no message,
 * and its users wait for its end.
 */
export async function endExpansion(tx: Queryable, { workspaceId, uuid, nowMs }: Cancelable): Promise<void> {
  const [row] = await tx.query<{ request: MessageRequested }>(DELETE_EXPANSION, [workspaceId, uuid]);
  if (row) await storeSteps(tx, [recordOf(row.request, uuid)], nowMs);
}

/** What was to be said stands with the messages that were made; the record keeps whose request it was and when. */
function recordOf(request: MessageRequested, uuid: string): MessageStep {
  const { workspaceId, id, recipient, requestedAt, mode, event, tags, traceId, idempotencyKey } = request;
  const bare: MessageRequested = { workspaceId, id, recipient, requestedAt, mode, event, tags, profile: {}, data: {} };
  return {
    workspaceId,
    uuid,
    status: 'ENQUEUED',
    recipient,
    event,
    notification: '',
    enqueuedAt: requestedAt,
    ...(tags.length > 0 && { tags }),
    ...(traceId !== undefined && { traceId }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    at: requestedAt,
    events: [enqueuedEvent(bare)],
    deliveries: [],
    open: null,
  };
}
