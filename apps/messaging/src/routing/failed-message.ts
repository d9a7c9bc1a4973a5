import { requireMessageUuid } from '@tidings/contracts/messaging/message-id';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { HistoryEvent } from '@tidings/contracts/messaging/messages';
import type { RoutedMessage } from '../store/routed-store';
import { storable } from '../store/storable';

/**
 * The record of a message that could not be routed for a reason that lies in its own request: it ends UNDELIVERABLE,
 * with nothing in it that could be the cause.
 */
export function failedMessage({ workspaceId, id, recipient, requestedAt }: MessageRequested, error: string, nowMs: number): RoutedMessage {
  const ts = Math.max(nowMs, requestedAt);
  const safe = storable(recipient);
  const events: HistoryEvent[] = [
    { ts: requestedAt, type: 'ENQUEUED', data: {}, event: '', profile: {}, recipient: safe },
    { ts, type: 'UNDELIVERABLE', channel: { id: '' }, integration: { id: '', provider: '' }, error_message: error, reason: 'FAILED' },
  ];
  return {
    workspace_id: workspaceId,
    id: requireMessageUuid(id),
    status: 'UNDELIVERABLE',
    recipient: safe,
    event: '',
    notification: '',
    enqueued_at: requestedAt,
    reason: 'FAILED',
    error: storable(error),
    at: ts,
    events,
    count: events.length,
  };
}
