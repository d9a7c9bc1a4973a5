import type { ChainTenant } from '@tidings/contracts/identity/recipients';
import { TENANT_LEVELS_MAX } from '@tidings/contracts/identity/tenants';
import { type Queryable, statement } from '@tidings/persistence/database';

/** More in one statement would make one answer too large to hold. */
export const CHAINS_MAX = 1_000;

/**
 * Begins a statement about the `chain` (tenant_id, parent_tenant_id, level) from a tenant (`$1` its workspace, `$2`) up to its root,
 * `level` 1 and on. `$3` is `TENANT_LEVELS_MAX`: no chain is longer; the bound holds whatever is stored.
 */
export const WITH_CHAIN = `with recursive chain as (
     select tenant_id, parent_tenant_id, 1 as level from tenants where workspace_id = $1 and tenant_id = $2
     union all
     select parent.tenant_id, parent.parent_tenant_id, chain.level + 1
       from chain join tenants parent on parent.workspace_id = $1 and parent.tenant_id = chain.parent_tenant_id
      where chain.level < $3
   )`;

interface TenantKey {
  workspaceId: string;
  tenantId: string;
}

interface ChainRow extends ChainTenant {
  place: number;
}

/**
 * From each tenant asked (`$1`, `$2`) up to its root, at most `$3` levels. The subqueries keep the plan what it must be, one
 * look into the primary key for each step, however little the planner knows of the table.
 */
const CHAINS = statement(
  'tenant-chains',
  `with recursive chain as (
     select asked.place, asked.workspace_id, asked.tenant_id collate "C" as tenant_id, 1 as level
       from unnest($1::uuid[], $2::text[]) with ordinality as asked (workspace_id, tenant_id, place)
     union all
     select chain.place, chain.workspace_id,
            (select below.parent_tenant_id from tenants below
              where below.workspace_id = chain.workspace_id and below.tenant_id = chain.tenant_id), chain.level + 1
       from chain where chain.level < $3 and chain.tenant_id is not null
   )
   select chain.place::int as place, tenant.tenant_id, tenant.name, tenant.brand_id, tenant.properties, tenant.user_profile
     from chain
    cross join lateral (
      select stored.tenant_id, stored.name, stored.brand_id, stored.properties, stored.user_profile from tenants stored
       where stored.workspace_id = chain.workspace_id and stored.tenant_id = chain.tenant_id limit 1
    ) tenant
    order by chain.place, chain.level desc`,
);

/**
 * For each tenant asked, in that order: the tenants from its root down to itself, so that what a later one says counts before
 * what an earlier one says. Empty where the tenant does not exist. One statement for all.
 * @throws Error when more than `CHAINS_MAX` are asked at once.
 */
export async function tenantChains(from: Queryable, asked: readonly TenantKey[]): Promise<ChainTenant[][]> {
  if (asked.length > CHAINS_MAX) throw new Error(`At most ${CHAINS_MAX} chains of tenants are read at once, not ${asked.length}`);
  const chains: ChainTenant[][] = asked.map(() => []);
  if (asked.length === 0) return chains;
  const rows = await from.query<ChainRow>(CHAINS, [
    asked.map(({ workspaceId }) => workspaceId),
    asked.map(({ tenantId }) => tenantId),
    TENANT_LEVELS_MAX,
  ]);
  for (const { place, ...tenant } of rows) chains[place - 1]!.push(tenant);
  return chains;
}
