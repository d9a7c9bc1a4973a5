import { IsIn } from 'class-validator';
import { DAY_MS } from '../core/duration';
import { AnyObject, Text, TextOf } from '../core/fields';
import { defineOperations } from '../core/operation';
import { OptionalUserId } from '../identity/profiles';
import { EVENT_LENGTH_MAX } from './send-limits';

/** Size of `properties` as JSON. */
export const INBOUND_PROPERTIES_BYTES_MAX = 256 * 1024;

/** How long a client's id of an occurrence is stored: within this time a second occurrence with the id is refused. */
export const INBOUND_ID_RETENTION_MS = 30 * DAY_MS;

/** An event that a client tracks, of a user or without one, for consumers of the event. It sends no message by itself. */
export class TrackEvent {
  /** Name of the event. @example "Order Placed" */
  @TextOf(1, EVENT_LENGTH_MAX) event: string;

  /** Your own id of this occurrence. One that was used in the last 30 days is refused with 409. @example "evt-4711" */
  @TextOf(1, 256) messageId: string;

  /** Always `track`. */
  @IsIn(['track']) type: 'track';

  /** Any fields of the event, at most 256 KB as JSON. @example { "order": "A-17" } */
  @AnyObject properties: Record<string, unknown>;

  /** Id of the user whose event it is. Absent or `null`: of no user. @example "ada" */
  @OptionalUserId userId?: string | null;
}

export class EventTracked {
  /** Id of the event here, not yours. @example "1-69a40ce0-5f2b9c01d3e84a7766aa10fe" */
  @Text messageId: string;
}

export const inbound = defineOperations('messaging.inbound', 'inbound', {
  /**
   * The event is checked and its `messageId` stored; nothing reacts to it in this version, and no message is sent.
   * @example { "event": "Order Placed", "messageId": "evt-4711", "type": "track", "properties": { "order": "A-17" }, "userId": "ada" }
   */
  accept: {
    command: true,
    route: 'POST /inbound/courier',
    status: 202,
    summary: 'Track an event, once for each messageId',
    mayConflict: true,
    request: TrackEvent,
    unknownFields: 'reported',
    response: EventTracked,
  },
});
