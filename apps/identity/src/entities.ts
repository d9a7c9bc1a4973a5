import { AuditEventEntity } from './audit/audit-event.entity';
import { KeyEntity } from './keys/key.entity';
import { SigningKeyEntity } from './keys/signing-key.entity';
import { PreferenceSectionEntity } from './preferences/preference-section.entity';
import { PreferenceTopicEntity } from './preferences/preference-topic.entity';
import { RecipientPreferencesEntity } from './preferences/recipient-preferences.entity';
import { UserPreferenceEntity } from './preferences/user-preference.entity';
import { TenantDefaultEntity } from './tenants/tenant-default.entity';
import { TenantEntity } from './tenants/tenant.entity';
import { UserTenantEntity } from './tenants/user-tenant.entity';
import { ProfileEntity } from './profiles/profile.entity';
import { PushTokenEntity } from './tokens/push-token.entity';
import { WorkspaceEntity } from './workspace.entity';

/** Every entity of the schema `identity`. */
export const IDENTITY_ENTITIES = [
  WorkspaceEntity,
  KeyEntity,
  SigningKeyEntity,
  AuditEventEntity,
  PreferenceSectionEntity,
  PreferenceTopicEntity,
  UserPreferenceEntity,
  RecipientPreferencesEntity,
  TenantEntity,
  TenantDefaultEntity,
  UserTenantEntity,
  ProfileEntity,
  PushTokenEntity,
];
