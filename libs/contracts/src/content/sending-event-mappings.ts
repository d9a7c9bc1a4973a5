import { IsArray } from 'class-validator';
import { IsListOf, Text, Uuid } from '../core/fields';
import { defineOperations } from '../core/operation';

const LOADED_EVENT_MAPPINGS_MAX = 500;

/** An event of a workspace; an internal call may span many workspaces. */
class EventMappingKey {
  @Uuid workspace_id: string;

  /** A text that cannot be an event's id has no mapping. */
  @Text event_id: string;
}

export class LoadEventMappings {
  @IsListOf(() => EventMappingKey, LOADED_EVENT_MAPPINGS_MAX) events: EventMappingKey[];
}

interface LoadedEventMapping {
  notification_id: string;
}

export class LoadedEventMappings {
  /** All mappings, in the order requested: ids are short. `null` for an event without a mapping. */
  @IsArray() mappings: (LoadedEventMapping | null)[];
}

export const sendingEventMappings = defineOperations('content.event-mappings', 'internal', {
  load: {
    allowsUnstorable: true,
    summary: 'Load the mappings of up to 500 events, in one statement',
    request: LoadEventMappings,
    response: LoadedEventMappings,
    repeatable: true,
  },
});
