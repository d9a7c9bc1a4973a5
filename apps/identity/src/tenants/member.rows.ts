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
 * Of several tenants ($2), tenant after tenant in the order given, by user, at most `$4` together; of the first only users after $3.
 * The tenants are walked one by one, so that behind the last member that is wanted nothing is read. `place` counts them from 1.
 */
export const MEMBERS_OF_TENANTS = statement(
  'tenant-members-of-tenants',
  `with recursive walk as (
     select 0 as place, 0 as met, '{}'::text[] collate "C" as user_ids
     union all
     select walk.place + 1, walk.met + cardinality(found.user_ids), found.user_ids
       from walk cross join lateral (
         select array(
           select member.user_id from user_tenants member
            where member.workspace_id = $1 and member.tenant_id = ($2::text[])[walk.place + 1]
              and member.user_id > case walk.place when 0 then $3 else '' end
            order by member.user_id limit $4::int - walk.met) as user_ids
       ) found
      where walk.place < cardinality($2::text[]) and walk.met < $4::int
   )
   select walk.place, member.user_id
     from walk cross join lateral unnest(walk.user_ids) with ordinality as member (user_id, nth)
    order by walk.place, member.nth`,
);

export const ASSOCIATION = statement(
  'user-tenants-retrieve',
  'select user_id, tenant_id, profile from user_tenants where workspace_id = $1 and user_id = $2 and tenant_id = $3',
);

export function toAssociation({ user_id, tenant_id, profile }: MemberRow): TenantAssociation {
  return { tenant_id, user_id, profile, type: 'user' };
}
