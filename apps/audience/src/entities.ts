import { AudienceEntity } from './audiences/audience.entity';
import { ListEntity } from './lists/list.entity';
import { ListPatternEntity } from './lists/list-pattern.entity';
import { SubscriptionEntity } from './subscriptions/subscription.entity';

/** Every entity of the schema `audience`. */
export const AUDIENCE_ENTITIES = [ListEntity, ListPatternEntity, SubscriptionEntity, AudienceEntity];
