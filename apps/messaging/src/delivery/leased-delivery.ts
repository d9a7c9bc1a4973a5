import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import type { HistoryEvent, HistoryType } from '@tidings/contracts/messaging/message-history';
import type { Recipient } from '@tidings/providers/recipient';
import { loadedProfiles } from '../store/history-row';
import type { LeasedRow } from '../store/lease-store';
import { outgoing, type StoredRendering } from '../store/stored-output';
import { storedRequest } from '../store/stored-request';
import { attachmentsOf } from './attachments';
import type { LeasedDelivery } from './delivery';

/** The delivery that routing stored in the history: the same content to the same address, byte for byte. Throws if rows are missing. */
export function toLeasedDelivery(row: LeasedRow): LeasedDelivery {
  if (!row.first_events || !row.step_events) throw new Error(`The history of message ${row.message_id} is missing`);
  const messageId = uuidToMessageId(row.message_id);
  const request = storedRequest(row.workspace_id, messageId, eventOf(row, row.first_events, 'ENQUEUED'));
  const event = renderedFor(row, row.step_events);
  const rendering = event as unknown as StoredRendering;
  const { channel, integration, provider } = row;
  return {
    workspaceId: row.workspace_id,
    messageId,
    uuid: row.message_id,
    leaf: row.leaf,
    attempt: row.attempt,
    lane: row.lane,
    channel,
    integration,
    provider,
    recipient: rendering.to ?? profileAddress(row, request.profile),
    rendered: outgoing(rendering, attachmentsOf(request, row, rendering.alias)),
    data: request.data,
    ...(rendering.override && { override: rendering.override }),
    notification: row.notification,
    isAnnounced: row.announced,
    hasSlot: row.has_slot,
    more: row.more,
    patience: { sinceMs: row.since_ms, untilMs: rendering.until, hasNext: rendering.has_next === true },
    renderedAt: event.ts,
  };
}

/** A step may render several leaves; channel and configuration identify one. */
function renderedFor(row: LeasedRow, events: readonly HistoryEvent[]): HistoryEvent {
  const found = events.find(
    (event) =>
      event.type === 'RENDERED' &&
      (event.channel as { id: string }).id === row.channel &&
      (event.integration as { id: string }).id === row.integration,
  );
  if (!found) throw new Error(`Message ${row.message_id} has a delivery but no RENDERED event`);
  return found;
}

/** The e-mail address of the profile that the same step loaded. */
function profileAddress(row: LeasedRow, received: Record<string, unknown>): Recipient {
  const loaded = eventOf(row, row.step_events!, 'PROFILE_LOADED');
  return { channel: 'email', email: loadedProfiles(loaded, received).merged_profile.email as string };
}

function eventOf({ message_id }: LeasedRow, events: readonly HistoryEvent[], type: HistoryType): HistoryEvent {
  const event = events.find((one) => one.type === type);
  if (!event) throw new Error(`Message ${message_id} has a delivery but no ${type} event`);
  return event;
}
