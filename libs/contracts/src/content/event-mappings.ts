import { IsIn } from 'class-validator';
import { Text, TextOf } from '../core/fields';
import { defineOperations } from '../core/operation';
import { CursorQuery, pageOf } from '../core/paging';

export const EVENT_ID_LENGTH_MAX = 512;
/** Maximum events of a page: clients of this listing are old, and rarely request a second page. */
export const EVENT_MAPPINGS_PAGE_MAX = 1_000;
const EVENT_MAPPING_TYPES = ['notification'] as const;

export class NamedEvent {
  /** Any text: `ORDER_PLACED`, `Segment-TrackEvent:Order Placed`. */
  @TextOf(1, EVENT_ID_LENGTH_MAX) event_id: string;
}

export class PutEventMapping extends NamedEvent {
  /** Id of the notification; it need not exist yet. */
  @TextOf(1, 512) id: string;

  @IsIn(EVENT_MAPPING_TYPES) type: 'notification';
}

class EventMappingPut {
  @IsIn(['SUCCESS']) status: 'SUCCESS';
}

export class EventMapping {
  @Text event: string;

  /** Id of the notification. */
  @Text id: string;

  @IsIn(EVENT_MAPPING_TYPES) type: 'notification';
}

class EventMappingPage extends pageOf(EventMapping) {}

export const eventMappings = defineOperations('content.event-mappings', 'events', {
  replace: {
    command: true,
    route: 'PUT /events/:event_id',
    generation: 'specification',
    summary: 'Map an event to a notification',
    request: PutEventMapping,
    response: EventMappingPut,
  },
  list: {
    route: 'GET /events',
    generation: 'legacy',
    summary: 'List mapped events, by id',
    request: CursorQuery,
    response: EventMappingPage,
  },
  retrieve: {
    route: 'GET /events/:event_id',
    generation: 'legacy',
    summary: 'Get a mapped event',
    request: NamedEvent,
    response: EventMapping,
  },
});
