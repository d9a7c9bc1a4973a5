import { IsIn, IsObject, IsOptional, IsString, Length } from 'class-validator';
import { DAY_MS } from '../core/event';
import { declaredFields } from '../core/known-fields';
import { defineOperation } from '../core/operation';
import { USER_ID_LENGTH_MAX } from '../identity/profiles';
import { EVENT_LENGTH_MAX } from './send-limits';

const INBOUND_ID_LENGTH_MAX = 256;

/** `properties` as JSON, in bytes. */
export const INBOUND_PROPERTIES_BYTES_MAX = 256 * 1024;

/** How long a client's id of an occurrence is known: within it a second occurrence with the id is refused. */
export const INBOUND_ID_KEPT_MS = 30 * DAY_MS;

/** Something happened to a user, or at all, that whoever listens for the event may act on. It sends nothing by itself. */
export class TrackEvent {
  @IsString()
  @Length(1, EVENT_LENGTH_MAX)
  event!: string;

  /** The client's own id of the occurrence: a second one with it is refused. */
  @IsString()
  @Length(1, INBOUND_ID_LENGTH_MAX)
  messageId!: string;

  @IsIn(['track'])
  type!: 'track';

  @IsObject()
  properties!: Record<string, unknown>;

  @IsOptional()
  @IsString()
  @Length(1, USER_ID_LENGTH_MAX)
  userId?: string | null;
}

export class EventTracked {
  /** Ours. */
  @IsString()
  messageId!: string;
}

export const inbound = {
  accept: defineOperation({
    pattern: 'messaging.inbound.accept',
    route: 'POST /inbound/courier',
    status: 202,
    scope: 'write:inbound',
    summary: 'Take an event, once for each messageId',
    mayConflict: true,
    request: TrackEvent,
    knownFields: declaredFields(TrackEvent),
    response: EventTracked,
  }),
};
