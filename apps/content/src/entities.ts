import { EventMappingEntity } from './event-mappings/event-mapping.entity';

/** Every entity of the schema `content`. */
export const CONTENT_ENTITIES = [EventMappingEntity];
