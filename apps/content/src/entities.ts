import { BrandEntity } from './brands/brand.entity';
import { EventMappingEntity } from './event-mappings/event-mapping.entity';

/** Every entity of the schema `content`. */
export const CONTENT_ENTITIES = [BrandEntity, EventMappingEntity];
