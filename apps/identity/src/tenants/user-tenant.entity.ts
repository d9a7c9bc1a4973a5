import { DatedRow, TextKey } from '@tidings/persistence/rows';
import { Column, Entity } from 'typeorm';
import type { ProfileFields } from '@tidings/contracts/identity/profiles';
import type { ProfileSecrets } from '@tidings/runtime/profile-secrets';
import type { TenantAssociation } from '@tidings/contracts/identity/tenants';

/** A user in a tenant. */
@Entity('user_tenants')
export class UserTenantEntity extends DatedRow {
  @TextKey()
  userId: string;

  @TextKey()
  tenantId: string;

  @Column('jsonb')
  profile: object;
}

/** The association as clients receive it, the credentials of its profile opened. @throws ServiceError as `openForReader`. */
export function toAssociation(secrets: ProfileSecrets) {
  return ({ workspaceId, userId, tenantId, profile }: UserTenantEntity): TenantAssociation => {
    const shown = { path: 'profile', of: `user ${userId} in tenant ${tenantId}` };
    const opened = secrets.openForReader(workspaceId, profile as ProfileFields, shown);
    return { tenant_id: tenantId, user_id: userId, profile: opened, type: 'user' };
  };
}
