import { BrandEntity } from './brands/brand.entity';
import { EventMappingEntity } from './event-mappings/event-mapping.entity';
import { RoutingStrategyEntity } from './routing-strategies/routing-strategy.entity';
import { TranslationEntity } from './translations/translation.entity';

/** Every entity of the schema `content`. */
export const CONTENT_ENTITIES = [BrandEntity, EventMappingEntity, RoutingStrategyEntity, TranslationEntity];
