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

/**
 * Members of several tenants ($2), by tenant in the order given, then by user; at most `$4` together, of the first tenant only users
 * after $3. Tenants are scanned one by one, so that nothing is read beyond the last member. `ordinal` counts tenants from 1.
 */
export const MEMBERS_OF_TENANTS = statement(
  'tenant-members-of-tenants',
  `with recursive scan as (
     select 0 as ordinal, 0 as total, '{}'::text[] collate "C" as user_ids
     union all
     select scan.ordinal + 1, scan.total + cardinality(found.user_ids), found.user_ids
       from scan cross join lateral (
         select array(
           select member.user_id from user_tenants member
            where member.workspace_id = $1 and member.tenant_id = ($2::text[])[scan.ordinal + 1]
              and member.user_id > case scan.ordinal when 0 then $3 else '' end
            order by member.user_id limit $4::int - scan.total) as user_ids
       ) found
      where scan.ordinal < cardinality($2::text[]) and scan.total < $4::int
   )
   select scan.ordinal, member.user_id
     from scan cross join lateral unnest(scan.user_ids) with ordinality as member (user_id, nth)
    order by scan.ordinal, member.nth`,
);

export const ASSOCIATION = statement(
  'user-tenants-retrieve',
  'select user_id, tenant_id, profile from user_tenants where workspace_id = $1 and user_id = $2 and tenant_id = $3',
);

export function toAssociation({ user_id, tenant_id, profile }: MemberRow): TenantAssociation {
  return { tenant_id, user_id, profile, type: 'user' };
}
