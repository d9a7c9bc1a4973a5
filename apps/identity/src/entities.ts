import { PreferenceSectionEntity } from './preferences/preference-section.entity';
import { PreferenceTopicEntity } from './preferences/preference-topic.entity';
import { TenantDefaultEntity } from './tenants/tenant-default.entity';
import { TenantEntity } from './tenants/tenant.entity';
import { UserTenantEntity } from './tenants/user-tenant.entity';
import { PushTokenEntity } from './tokens/push-token.entity';

/** Every entity of the schema `identity`. */
export const IDENTITY_ENTITIES = [
  PreferenceSectionEntity,
  PreferenceTopicEntity,
  TenantDefaultEntity,
  TenantEntity,
  UserTenantEntity,
  PushTokenEntity,
];
