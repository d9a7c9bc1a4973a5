import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';

/** Replaces the recipient of an erased message. */
export const ERASED = '(erased)';

/** Event fields without personal data. Reasons are fixed codes. */
const RETAINED: ReadonlySet<string> = new Set([
  'ts',
  'type',
  'channel',
  'integration',
  'reason',
  'reasonCode',
  'event',
  'event_id',
  'notification_id',
  'delay',
  'until',
  'decided',
]);

/** Empty values for fields with personal data, so that readers of the event find its fields. */
const REPLACED: Partial<Record<HistoryEvent['type'], Record<string, unknown>>> = {
  ENQUEUED: { data: {}, profile: {}, recipient: ERASED },
  PROFILE_LOADED: { stored_profile: {}, received_profile: {} },
  // Its decisions name the language of the recipient.
  RENDERED: { output: { subject: '', html: '', text: '' }, decided: undefined },
  DELIVERED: { reference: {} },
};

/** The events of a stored step without personal data and content. Pure and idempotent. */
export function erasedEvents(events: readonly HistoryEvent[]): HistoryEvent[] {
  return events.map((event) => {
    const retained = Object.fromEntries(Object.entries(event).filter(([name]) => RETAINED.has(name)));
    return { ...retained, ...REPLACED[event.type], erased: true } as unknown as HistoryEvent;
  });
}
