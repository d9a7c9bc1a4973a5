import type { JsonObject } from '@tidings/contracts/core/deep-merge';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import { withoutSecrets } from '@tidings/contracts/messaging/override-secrets';

/** Fields of a request that are stored in the message's id and row, or in shown fields of ENQUEUED. */
type Elsewhere = 'workspaceId' | 'id' | 'requestedAt' | 'recipient' | 'profile' | 'data' | 'event' | 'warnings';

/**
 * The first event of a message. Besides the shown fields it stores the rest of the request, so that later steps (the end of a delay,
 * another channel, a resend) read the request from the history. Without warnings: the caller adds them with those of rendering.
 */
export function enqueuedEvent(request: MessageRequested): HistoryEvent {
  const { workspaceId: _workspace, id: _id, requestedAt, recipient, profile, data, event, warnings: _warnings, ...send } = request;
  return {
    ts: requestedAt,
    type: 'ENQUEUED',
    data,
    event,
    profile,
    recipient,
    override: overrideOf(request),
    send,
  };
}

/** The shown fields of ENQUEUED. */
export function shownEnqueued({ send: _send, ...shown }: HistoryEvent): HistoryEvent {
  return shown;
}

/** The request of a message, from its first event. Earlier versions stored only the fields that a delivery needs. */
export function storedRequest(workspaceId: string, id: string, enqueued: HistoryEvent): MessageRequested {
  const { ts, profile, data, event, recipient, send } = enqueued as HistoryEvent &
    Pick<MessageRequested, Elsewhere> & { send?: JsonObject };
  const rest = (send ?? { mode: 'production', tags: [] }) as unknown as Omit<MessageRequested, Elsewhere>;
  return { ...rest, workspaceId, id, requestedAt: ts, recipient, profile, data, event };
}

/** Provider overrides by provider name, as the older form of the API shows them; settings and headers with their names only. */
function overrideOf({ providers = {} }: MessageRequested): JsonObject | undefined {
  const overrides = Object.entries(providers).flatMap(([name, { override }]) =>
    override ? [[name, withoutSecrets(override)] as const] : [],
  );
  return overrides.length > 0 ? Object.fromEntries(overrides) : undefined;
}
