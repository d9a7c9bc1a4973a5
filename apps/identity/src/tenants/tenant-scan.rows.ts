import { statement } from '@tidings/persistence/database';

/** SQL in this file: a fan-out scans trees of any size in batches. How often tenants of the workspace have been moved. */
export const MOVES = statement(
  'tenant-scan-moves',
  'select coalesce((select moves from tenant_moves where workspace_id = $1), 0)::text as moves',
);

/**
 * A tenant ($2) and those below it, down to `$3` levels, if they are fewer than `$4`: from the cursor ($6, $7) on, `$8`: whether
 * the cursor's tenant is included, at most `$9`. Stages are the levels; or all are `$5`, then without the tenant itself. The
 * recursion goes level by level and stops at the limit.
 */
export const BRANCH = statement(
  'tenant-scan-branch',
  `with recursive branch as (
     select $2::text collate "C" as tenant_id, 0 as level
     union all
     select child.tenant_id, branch.level + 1
       from branch cross join lateral (
         select below.tenant_id from tenants below
          where below.workspace_id = $1 and below.parent_tenant_id = branch.tenant_id limit $4) child
      where branch.level < $3
   ), found as materialized (
     select tenant_id, level from branch limit $4
   ), size as materialized (
     select count(*) = $4 as many from found
   )
   select many, coalesce((
            select jsonb_agg(jsonb_build_object('stage', stage, 'tenant_id', tenant_id) order by stage, tenant_id)
              from (select stage, tenant_id
                      from (select coalesce($5::int, level) as stage, tenant_id from found where level > 0 or $5::int is null) staged
                     where not many and (stage, tenant_id) >= ($6::int, $7::text)
                       and ((stage, tenant_id) > ($6::int, $7::text) or $8::boolean)
                     order by stage, tenant_id limit $9) page), '[]') as tenants
     from size`,
);

/** Children of a tenant ($2) from the id $3 on, `$4`: whether that id is included, at most `$5`. */
export const CHILDREN_AFTER = statement(
  'tenant-scan-children',
  `with batch as materialized (
     select tenant_id from tenants
      where workspace_id = $1 and parent_tenant_id = $2 and tenant_id >= $3 and (tenant_id > $3 or $4::boolean)
      order by tenant_id limit $5
   )
   select array(select tenant_id from batch order by tenant_id) as tenant_ids,
          (select max(tenant_id) from batch having count(*) = $5) as last`,
);

/**
 * Reads `$5` tenants of the workspace from the id $3 on, `$4`: whether that id is included, and returns those below the tenant $2:
 * on the level `$7`, or on any of `$6`. Each chain of parents costs one primary key lookup for each level.
 */
export const TENANTS_BELOW = statement(
  'tenant-scan-tenants-below',
  `with recursive batch as materialized (
     select tenant_id, parent_tenant_id from tenants
      where workspace_id = $1 and tenant_id >= $3 and (tenant_id > $3 or $4::boolean)
      order by tenant_id limit $5
   ), chain as (
     select tenant_id, parent_tenant_id as above_id, 1 as level from batch where parent_tenant_id is not null
     union all
     select chain.tenant_id,
            (select above.parent_tenant_id from tenants above
              where above.workspace_id = $1 and above.tenant_id = chain.above_id), chain.level + 1
       from chain where chain.above_id <> $2 and chain.level < $6
   )
   select array(select tenant_id from chain where above_id = $2 and level = coalesce($7::int, level) order by tenant_id) as tenant_ids,
          (select max(tenant_id) from batch having count(*) = $5) as last`,
);
