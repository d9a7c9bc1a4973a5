import { IsIn } from 'class-validator';
import { DAY_MS } from '../core/duration';
import { AnyObject, Text, TextOf } from '../core/fields';
import { declaredFields } from '../core/known-fields';
import { defineOperations } from '../core/operation';
import { OptionalUserId } from '../identity/profiles';
import { EVENT_LENGTH_MAX } from './send-limits';

/** Size of `properties` as JSON. */
export const INBOUND_PROPERTIES_BYTES_MAX = 256 * 1024;

/** How long a client's id of an occurrence is stored: within this time a second occurrence with the id is refused. */
export const INBOUND_ID_RETENTION_MS = 30 * DAY_MS;

/** An event that a client tracks, of a user or without one, for consumers of the event. It sends no message by itself. */
export class TrackEvent {
  @TextOf(1, EVENT_LENGTH_MAX) event: string;

  /** The client's own id of the occurrence: a repeated id is refused. */
  @TextOf(1, 256) messageId: string;

  @IsIn(['track']) type: 'track';

  @AnyObject properties: Record<string, unknown>;

  @OptionalUserId userId?: string | null;
}

export class EventTracked {
  /** Our id of the event. */
  @Text messageId: string;
}

export const inbound = defineOperations('messaging.inbound', 'inbound', {
  accept: {
    command: true,
    route: 'POST /inbound/courier',
    status: 202,
    summary: 'Track an event, once for each messageId',
    mayConflict: true,
    request: TrackEvent,
    knownFields: declaredFields(TrackEvent),
    response: EventTracked,
  },
});
