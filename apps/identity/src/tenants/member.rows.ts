import type { ProfileFields } from '@tidings/contracts/identity/profiles';
import type { TenantAssociation } from '@tidings/contracts/identity/tenants';
import { statement } from '@tidings/persistence/database';

/** A user in a tenant. */
export interface MemberRow {
  user_id: string;
  tenant_id: string;
  profile: ProfileFields;
}

/** Of one tenant, after the user of this id; every id comes after the empty text. */
export const MEMBERS_PAGE = statement(
  'tenant-members-page',
  `select user_id, tenant_id, profile from user_tenants
    where workspace_id = $1 and tenant_id = $2 and user_id > $3 order by user_id limit $4`,
);

/** Of one user, after the tenant of this id. */
export const TENANTS_PAGE = statement(
  'user-tenants-page',
  `select user_id, tenant_id, profile from user_tenants
    where workspace_id = $1 and user_id = $2 and tenant_id > $3 order by tenant_id limit $4`,
);

export const ASSOCIATION = statement(
  'user-tenants-retrieve',
  'select user_id, tenant_id, profile from user_tenants where workspace_id = $1 and user_id = $2 and tenant_id = $3',
);

export function toAssociation({ user_id, tenant_id, profile }: MemberRow): TenantAssociation {
  return { tenant_id, user_id, profile, type: 'user' };
}
