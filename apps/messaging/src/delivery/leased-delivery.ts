import type { HistoryEvent } from '@tidings/contracts/messaging/messages';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import { type EmailOutput, expandEvents, toRenderedEmail } from '../store/history-row';
import type { LeasedRow } from '../store/lease-store';
import type { HeldDelivery } from './delivery';

/** A delivery as routing left it in the history: the same mail to the same address, byte for byte. */
export function toHeldDelivery(row: LeasedRow): HeldDelivery {
  if (!row.events || !row.enqueued_at) throw new Error(`Message ${row.message_id} is not there`);
  const events = expandEvents(row.events, 0);
  const stored = eventOf(row, row.events, 'RENDERED');
  const loaded = eventOf(row, events, 'PROFILE_LOADED');
  const { email } = loaded.merged_profile as { email: string };
  return {
    workspaceId: row.workspace_id,
    messageId: uuidToMessageId(row.message_id),
    uuid: row.message_id,
    leaf: row.leaf,
    attempt: row.attempt,
    channel: row.channel,
    provider: row.provider,
    recipient: { email },
    email: toRenderedEmail(stored.output as EmailOutput),
    enqueuedAt: Number(row.enqueued_at),
    renderedAt: stored.ts,
  };
}

function eventOf({ message_id }: LeasedRow, events: readonly HistoryEvent[], type: HistoryEvent['type']): HistoryEvent {
  const event = events.find((one) => one.type === type);
  if (!event) throw new Error(`Message ${message_id} has a delivery but no ${type} event`);
  return event;
}
