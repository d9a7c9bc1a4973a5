import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';

/** Stands where the recipient of a message stood. */
export const ERASED = '(erased)';

export function isErased(recipient: string): boolean {
  return recipient === ERASED;
}

/** What of an event says nothing of a person: when, what, where, and why in our own words. */
const KEPT = [
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
] as const;

/** Stands where a person's data stood, so that whoever reads the event finds its fields. */
const REPLACED: Partial<Record<HistoryEvent['type'], Record<string, unknown>>> = {
  ENQUEUED: { data: {}, profile: {}, recipient: ERASED },
  PROFILE_LOADED: { stored_profile: {}, received_profile: {} },
  RENDERED: { output: { subject: '', html: '', text: '' } },
  DELIVERED: { reference: {} },
};

/** A stored step without what it says of a person and to them. Pure; done again it changes nothing. */
export function erasedEvents(events: readonly HistoryEvent[]): HistoryEvent[] {
  return events.map((event) => {
    const kept = Object.fromEntries(KEPT.flatMap((name) => (event[name] === undefined ? [] : [[name, event[name]] as const])));
    return { ...kept, ...REPLACED[event.type], erased: true } as unknown as HistoryEvent;
  });
}
