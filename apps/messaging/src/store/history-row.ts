import { deepMerge } from '@tidings/contracts/core/deep-merge';
import { outputAddresses } from '@tidings/contracts/messaging/message-output';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import { shownProfile } from './shown-profile';
import { shownEnqueued } from './stored-request';
import { storable } from './storable';
import { outputOf } from './stored-output';

type Fields = Record<string, unknown>;

/** Where a stored step stands. */
interface RowPlace {
  /** As clients know it. */
  messageId: string;
  /** Running number of the row's first event. */
  number: number;
  /** None of its events is earlier, whatever clock wrote it: ms since the epoch. */
  atMs: number;
}

/**
 * The events of one stored step as the interface shows them. What follows from the events before was left out, because every
 * byte of a history row is written for every message:
 *
 * - ENQUEUED keeps the whole request; its fields `data`, `event`, `profile`, `override`, `recipient` are shown.
 *   Profiles are shown without the credentials that they hold.
 * - PROFILE_LOADED keeps the stored profile; the received one stands in ENQUEUED of the same step, or beside it in a later one;
 *   the merged one follows from both.
 * - RENDERED keeps what the provider is called with; shown is where its parts can be read.
 */
export function expandEvents(events: readonly HistoryEvent[], { messageId, number, atMs }: RowPlace): HistoryEvent[] {
  let received: Fields = {};
  let ts = atMs;
  return events.map((event, index) => {
    ts = Math.max(event.ts, ts); // whoever wrote them, and however many at once: time does not go back
    switch (event.type) {
      case 'ENQUEUED':
        received = event.profile as Fields;
        return { ...shownEnqueued(event), profile: shownProfile(received), ts };
      case 'PROFILE_LOADED':
        return { ts, type: event.type, ...shownProfiles(event, received), ...warningsOf(event), ...erasedOf(event) };
      case 'RENDERED': {
        const { type, channel, integration } = event;
        const output = outputAddresses(messageId, number + index, outputOf(event));
        return { ts, type, channel, integration, output, ...warningsOf(event), ...erasedOf(event) };
      }
      default:
        return { ...event, ts };
    }
  });
}

function shownProfiles(event: HistoryEvent, received: Fields): Fields {
  return Object.fromEntries(Object.entries(loadedProfiles(event, received)).map(([name, profile]) => [name, shownProfile(profile)]));
}

/** Of an event: what was left out or passed over, in sentences for whoever made the send or the template. Absent where nothing was. */
export function warned(warnings: readonly string[]): { warnings?: string[] } {
  return warnings.length > 0 ? { warnings: warnings.map(storable) } : {};
}

function warningsOf({ warnings }: HistoryEvent): Fields {
  return warnings === undefined ? {} : { warnings };
}

/** What of an event was erased is told with it. */
function erasedOf({ erased }: HistoryEvent): Fields {
  return erased === undefined ? {} : { erased };
}

/** The three profiles of a stored PROFILE_LOADED; `received`: what came with the request, where the event does not hold it. */
export function loadedProfiles(event: HistoryEvent, received: Fields) {
  const stored_profile = event.stored_profile as Fields;
  const received_profile = (event.received_profile ?? received) as Fields;
  return { merged_profile: mergedProfile(stored_profile, received_profile), received_profile, stored_profile };
}

/** The profile that a send is made with: the fields of the request over the stored ones, where `null` removes. */
export function mergedProfile(stored: Fields, received: Fields): Fields {
  return deepMerge(stored, received, { nullRemoves: true });
}
