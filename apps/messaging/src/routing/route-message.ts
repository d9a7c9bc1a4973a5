import { ServiceError } from '@tidings/contracts/core/errors';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { HistoryEvent } from '@tidings/contracts/messaging/messages';
import { requireMessageUuid } from '@tidings/contracts/messaging/message-id';
import type { RenderedEmail } from '@tidings/providers/email';
import { renderEmail } from '@tidings/rendering/render-email';
import { DEFAULT_INTEGRATION_ID } from '../delivery/conclude';
import type { HeldDelivery } from '../delivery/delivery';
import { type EmailOutput, loadedEvent, mergedProfile } from '../store/history-row';
import type { RoutedMessage } from '../store/routed-store';
import { storable } from '../store/storable';

type Profile = Record<string, unknown>;

/** A message after routing: what is stored of it and, where a provider is to be called, with what. */
export interface Routed {
  row: RoutedMessage;
  /** Absent when there is nothing to call: unroutable, simulated, failed to render. */
  delivery?: HeldDelivery;
  /** Length of what was rendered. */
  renderedChars: number;
}

const CHANNEL = 'email';

/**
 * Decides about one message: merges the profile, chooses the channel, renders. Pure; `storedProfile` is the user's,
 * `provider` the key of the e-mail provider if there is one, `nowMs` the time of the decision.
 */
export function routeMessage(request: MessageRequested, storedProfile: Profile, provider: string | undefined, nowMs: number): Routed {
  const ts = Math.max(nowMs, request.requestedAt);
  const merged = mergedProfile(storedProfile, request.profile);
  const events = loadedEvents(request, storedProfile, ts);
  const { email } = merged;

  if (typeof email !== 'string' || email === '') {
    return unroutable(request, events, ts, 'No provider can reach this recipient: e-mail needs profile.email');
  }
  if (!provider) return unroutable(request, events, ts, 'No provider is configured for e-mail');

  const where = { channel: { id: CHANNEL }, integration: { id: DEFAULT_INTEGRATION_ID, provider } };
  events.push({ ts, type: 'ROUTED', ...where });
  const rendered = render(request, merged);
  if (rendered instanceof ServiceError) {
    const { message } = rendered;
    events.push({ ts, type: 'UNDELIVERABLE', ...where, error_message: message, reason: 'FAILED' });
    return { row: { ...rowOf(request, events, ts), status: 'UNDELIVERABLE', reason: 'FAILED', error: message }, renderedChars: 0 };
  }
  const { subject, html, text } = rendered;
  const renderedChars = subject.length + html.length + text.length;
  events.push({ ts, type: 'RENDERED', ...where, output: { subject, html, text } satisfies EmailOutput });

  if (request.mode === 'test') {
    events.push({ ts, type: 'SIMULATED', ...where });
    return { row: { ...rowOf(request, events, ts), status: 'SIMULATED' }, renderedChars };
  }
  const row: RoutedMessage = { ...rowOf(request, events, ts), status: 'ROUTED', channel: CHANNEL, provider };
  return { row, delivery: deliveryOf(request, row, { email }, rendered, ts), renderedChars };
}

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

function loadedEvents({ requestedAt, data, event, profile, recipient }: MessageRequested, stored: Profile, ts: number): HistoryEvent[] {
  return [{ ts: requestedAt, type: 'ENQUEUED', data, event, profile, recipient }, loadedEvent(ts, stored)];
}

function unroutable(request: MessageRequested, events: HistoryEvent[], ts: number, error: string): Routed {
  events.push({ ts, type: 'UNROUTABLE', channel: { id: '' }, reason: 'NO_PROVIDERS' });
  return { row: { ...rowOf(request, events, ts), status: 'UNROUTABLE', reason: 'NO_PROVIDERS', error }, renderedChars: 0 };
}

function render(
  { content, data }: MessageRequested,
  profile: Profile,
): Required<Pick<RenderedEmail, 'subject' | 'html' | 'text'>> | ServiceError {
  try {
    return renderEmail(content, { data, profile });
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

function rowOf({ workspaceId, id, recipient, event, requestedAt, tags, traceId }: MessageRequested, events: HistoryEvent[], ts: number) {
  return {
    workspace_id: workspaceId,
    id: requireMessageUuid(id),
    recipient,
    event,
    notification: '',
    enqueued_at: requestedAt,
    ...(tags.length > 0 && { tags }),
    ...(traceId !== undefined && { trace_id: traceId }),
    at: ts,
    events,
    count: events.length,
  };
}

function deliveryOf(
  request: MessageRequested,
  { id, channel, provider }: RoutedMessage,
  recipient: { email: string },
  email: RenderedEmail,
  ts: number,
): HeldDelivery {
  return {
    workspaceId: request.workspaceId,
    messageId: request.id,
    uuid: id,
    leaf: 0,
    attempt: 1,
    channel: channel!,
    provider: provider!,
    recipient,
    email,
    enqueuedAt: request.requestedAt,
    renderedAt: ts,
  };
}
