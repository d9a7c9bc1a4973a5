import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { Recipient } from '@tidings/providers/recipient';
import { eventOf, loadedProfiles } from '../store/history-row';
import type { LeasedRow } from '../store/lease-store';
import { laneOf } from '../store/step';
import { outgoing, type StoredRendering } from '../store/stored-output';
import { storedRequest } from '../store/stored-request';
import { attachmentsOf } from './attachments';
import type { LeasedDelivery } from './delivery';

/** The delivery that routing stored in the history: the same content to the same address, byte for byte. Throws if rows are missing. */
export function toLeasedDelivery(row: LeasedRow): LeasedDelivery {
  if (!row.first_events || !row.step_events) throw new Error(`The history of message ${row.message_id} is missing`);
  const messageId = uuidToMessageId(row.message_id);
  const request = storedRequest(row.workspace_id, messageId, eventOf(messageId, row.first_events, 'ENQUEUED'));
  const event = renderedFor(row, row.step_events);
  const rendering = event as unknown as StoredRendering;
  const { channel, integration, provider } = row;
  return toDelivery(request, rendering, Number(row.since_ms), {
    uuid: row.message_id,
    leaf: row.leaf,
    attempt: row.attempt,
    lane: laneOf(row.lane),
    channel,
    integration,
    provider,
    recipient: rendering.to ?? profileAddress(row, request.profile),
    notification: row.notification,
    isAnnounced: row.announced,
    hasSlot: row.has_slot,
    more: row.more,
    renderedAt: event.ts,
  });
}

type FromRequest = 'workspaceId' | 'messageId' | 'data' | 'rendered' | 'override' | 'retryWindow';

/** A delivery of a rendering; `fields` are those that do not follow from the request and the rendering. */
export function toDelivery(
  request: MessageRequested,
  rendering: StoredRendering,
  sinceMs: number,
  fields: Omit<LeasedDelivery, FromRequest>,
): LeasedDelivery {
  return {
    ...fields,
    workspaceId: request.workspaceId,
    messageId: request.id,
    data: request.data,
    rendered: outgoing(rendering, attachmentsOf(request, fields, rendering.alias)),
    override: rendering.override,
    retryWindow: { sinceMs, untilMs: rendering.until, hasNext: rendering.has_next === true },
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
  const loaded = eventOf(row.message_id, row.step_events!, 'PROFILE_LOADED');
  return { channel: 'email', email: loadedProfiles(loaded, received).merged_profile.email as string };
}
