import { deepMerge } from '@tidings/contracts/core/deep-merge';
import { outputAddresses } from '@tidings/contracts/content/message-output';
import type { HistoryEvent, HistoryType } from '@tidings/contracts/messaging/message-history';
import { shownProfile } from './shown-profile';
import { shownEnqueued } from './stored-request';
import { storable } from './storable';
import { outputOf } from './stored-output';

type Fields = Record<string, unknown>;

/** Position of a stored step in the history of its message. */
interface RowPosition {
  /** The id that clients see. */
  messageId: string;
  /** Running number of the row's first event. */
  number: number;
  /** Lower bound of its events' times, whatever clock wrote them: ms since the epoch. */
  atMs: number;
}

/**
 * The events of one stored step as the API shows them. Rows omit what earlier events imply, because every byte of a history row is written
 * for every message:
 *
 * - ENQUEUED stores the whole request; its fields `data`, `event`, `profile`, `override`, `recipient` are shown, profiles without
 *   credentials.
 * - PROFILE_LOADED stores the stored profile; the received one is in ENQUEUED of the same step, or in the event itself in a later step;
 *   the merged one is derived from both.
 * - RENDERED stores the input of the provider call; shown are the addresses of its parts.
 */
export function expandEvents(events: readonly HistoryEvent[], { messageId, number, atMs }: RowPosition): HistoryEvent[] {
  let received: Fields = {};
  let ts = atMs;
  return events.map((event, index) => {
    ts = Math.max(event.ts, ts); // clocks of several processes: times never decrease
    const { type, warnings, erased } = event;
    switch (type) {
      case 'ENQUEUED':
        received = event.profile as Fields;
        return { ...shownEnqueued(event), profile: shownProfile(received), ts };
      case 'PROFILE_LOADED':
        return { ts, type, ...shownProfiles(event, received), warnings, erased };
      case 'RENDERED': {
        const { channel, integration } = event;
        const output = outputAddresses(messageId, number + index, outputOf(event));
        return { ts, type, channel, integration, output, warnings, erased };
      }
      default:
        return { ...event, ts };
    }
  });
}

/** An event of a stored step that must be there. */
export function eventOf(messageId: string, events: readonly HistoryEvent[], type: HistoryType): HistoryEvent {
  const event = events.find((one) => one.type === type);
  if (!event) throw new Error(`Message ${messageId} has no ${type} event`);
  return event;
}

function shownProfiles(event: HistoryEvent, received: Fields): Fields {
  return Object.fromEntries(Object.entries(loadedProfiles(event, received)).map(([name, profile]) => [name, shownProfile(profile)]));
}

/** The `warnings` field of an event: sentences for the author of the send or the template; absent without warnings. */
export function warned(warnings: readonly string[]): { warnings?: string[] } {
  return warnings.length > 0 ? { warnings: warnings.map(storable) } : {};
}

/** The three profiles of a stored PROFILE_LOADED; `received` is the profile of the request, for events without one. */
export function loadedProfiles(event: HistoryEvent, received: Fields) {
  const stored_profile = event.stored_profile as Fields;
  const received_profile = (event.received_profile ?? received) as Fields;
  return { merged_profile: mergedProfile(stored_profile, received_profile), received_profile, stored_profile };
}

/** The profile of a send: the fields of the request over the stored ones; `null` removes a field. */
export function mergedProfile(stored: Fields, received: Fields): Fields {
  return deepMerge(stored, received, { nullRemoves: true });
}
