import { IsIn } from 'class-validator';
import { Text, TextOf } from '../core/fields';
import { FieldsOfAnswer } from '../core/known-fields';
import { defineOperations } from '../core/operation';
import { CursorQuery, pageOf } from '../core/paging';

export const EVENT_ID_LENGTH_MAX = 512;
/** Maximum events of a page: clients of this listing are old, and rarely request a second page. */
export const EVENT_MAPPINGS_PAGE_MAX = 1_000;
const EVENT_MAPPING_TYPES = ['notification'] as const;

export class NamedEvent {
  /** Name of the event: any text. @example "order-shipped" */
  @TextOf(1, EVENT_ID_LENGTH_MAX) event_id: string;
}

@FieldsOfAnswer(() => EventMapping)
export class PutEventMapping extends NamedEvent {
  /** Id or alias of the template; it need not exist yet. @example "nt_3Xo0aB1dQkS9fT2uVw5z" */
  @TextOf(1, 512) id: string;

  /** Always `notification`. */
  @IsIn(EVENT_MAPPING_TYPES) type: 'notification';
}

class EventMappingPut {
  /** Always `SUCCESS`: an error has another status code and body. */
  @IsIn(['SUCCESS']) status: 'SUCCESS';
}

export class EventMapping {
  /** Name of the event. @example "order-shipped" */
  @Text event: string;

  /** Id or alias of the template that it is mapped to, as it was put. @example "nt_3Xo0aB1dQkS9fT2uVw5z" */
  @Text id: string;

  /** Always `notification`. */
  @IsIn(EVENT_MAPPING_TYPES) type: 'notification';
}

/** @property results The mappings of this page, at most 1,000, by event. */
class EventMappingPage extends pageOf(EventMapping) {}

export const eventMappings = defineOperations('content.event-mappings', 'events', {
  /**
   * A send that names the event uses that template. An event has one template: the last one put.
   * @example { "id": "nt_3Xo0aB1dQkS9fT2uVw5z", "type": "notification" }
   */
  replace: {
    audit: 'event-mapping:replaced',
    command: true,
    route: 'PUT /events/:event_id',
    generation: 'specification',
    summary: 'Map an event to a notification',
    request: PutEventMapping,
    templateNames: ({ id }: PutEventMapping) => [id],
    response: EventMappingPut,
  },
  /** All events that are mapped to a template. */
  list: {
    route: 'GET /events',
    generation: 'legacy',
    summary: 'List mapped events, by id',
    request: CursorQuery,
    response: EventMappingPage,
  },
  /** Answers 404 for an event that is not mapped. */
  retrieve: {
    route: 'GET /events/:event_id',
    generation: 'legacy',
    summary: 'Get a mapped event',
    request: NamedEvent,
    response: EventMapping,
  },
});
