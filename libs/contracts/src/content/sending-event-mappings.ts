import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsString, IsUUID, ValidateNested } from 'class-validator';
import { defineOperation } from '../core/operation';

const LOADED_EVENT_MAPPINGS_MAX = 500;

/** An event of a workspace; the call is the system's own, over many workspaces at once. */
class EventMappingKey {
  @IsUUID()
  workspace_id!: string;

  /** What cannot be an event's id is mapped to nothing. */
  @IsString()
  event_id!: string;
}

export class LoadEventMappings {
  @IsArray()
  @ArrayMaxSize(LOADED_EVENT_MAPPINGS_MAX)
  @ValidateNested({ each: true })
  @Type(() => EventMappingKey)
  events!: EventMappingKey[];
}

interface LoadedEventMapping {
  notification_id: string;
}

export class LoadedEventMappings {
  /** In the order asked, all of them: ids are short. `null` where the event is not mapped. */
  @IsArray()
  mappings!: (LoadedEventMapping | null)[];
}

export const sendingEventMappings = {
  load: defineOperation({
    pattern: 'content.event-mappings.load',
    scope: 'internal',
    summary: 'What up to 500 events are mapped to, in one statement',
    request: LoadEventMappings,
    response: LoadedEventMappings,
    repeatable: true,
  }),
};
