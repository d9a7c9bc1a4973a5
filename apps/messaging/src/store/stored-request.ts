import type { JsonObject } from '@tidings/contracts/core/deep-merge';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import { withoutSecrets } from '@tidings/contracts/messaging/override-secrets';

/** Fields of a request that stand in the message's id and row, or in fields of ENQUEUED that are shown. */
type Elsewhere = 'workspaceId' | 'id' | 'requestedAt' | 'recipient' | 'profile' | 'data' | 'event' | 'warnings';

/**
 * The first event of a message. Beside what is shown it keeps the rest of the request, so that whatever comes later (a delay's
 * end, another channel, a resend) finds in the history what was asked.
 */
export function enqueuedEvent(request: MessageRequested): HistoryEvent {
  const { workspaceId: _workspace, id: _id, requestedAt, recipient, profile, data, event, warnings, ...send } = request;
  const override = overrideOf(request);
  return {
    ts: requestedAt,
    type: 'ENQUEUED',
    data,
    event,
    profile,
    recipient,
    ...(override && { override }),
    ...(warnings && { warnings }),
    send,
  };
}

/** What of ENQUEUED is shown. */
export function shownEnqueued({ send: _send, ...shown }: HistoryEvent): HistoryEvent {
  return shown;
}

/** The request of a message, from its first event. Earlier versions kept no more of it than a delivery needs. */
export function storedRequest(workspaceId: string, id: string, enqueued: HistoryEvent): MessageRequested {
  const { ts, profile, data, event, recipient, send } = enqueued as HistoryEvent &
    Pick<MessageRequested, Elsewhere> & { send?: JsonObject };
  const rest = (send ?? { mode: 'production', tags: [] }) as unknown as Omit<MessageRequested, Elsewhere>;
  return { ...rest, workspaceId, id, requestedAt: ts, recipient, profile, data, event };
}

/** The overrides of providers, by their names, as clients of the older form know them; of settings and headers the names alone. */
function overrideOf({ providers = {} }: MessageRequested): JsonObject | undefined {
  const overrides = Object.entries(providers).flatMap(([name, { override }]) =>
    override ? [[name, withoutSecrets(override)] as const] : [],
  );
  return overrides.length > 0 ? Object.fromEntries(overrides) : undefined;
}
