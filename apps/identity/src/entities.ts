/** Every entity of the schema `identity`. */
export { AuditEventEntity } from './audit/audit-event.entity';
export { KeyEntity } from './keys/key.entity';
export { SigningKeyEntity } from './keys/signing-key.entity';
export { PreferenceChangeEntity } from './preferences/preference-change.entity';
export { SessionCodeEntity, SessionEntity } from './sessions/session.entity';
export { PreferenceSectionEntity } from './preferences/preference-section.entity';
export { PreferenceTopicEntity } from './preferences/preference-topic.entity';
export { RecipientPreferencesEntity } from './preferences/recipient-preferences.entity';
export { UserPreferenceEntity } from './preferences/user-preference.entity';
export { TenantDefaultEntity } from './tenants/tenant-default.entity';
export { TenantEntity } from './tenants/tenant.entity';
export { UserTenantEntity } from './tenants/user-tenant.entity';
export { ProfileEntity } from './profiles/profile.entity';
export { PushTokenEntity } from './tokens/push-token.entity';
export { WorkspaceEntity } from './workspace.entity';
