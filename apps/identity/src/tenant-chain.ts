import type { ChainTenant } from '@tidings/contracts/identity/recipients';
import { TENANT_LEVELS_MAX } from '@tidings/contracts/identity/tenants';
import { columnsOf } from '@tidings/persistence/columns-of';
import { type Queryable, statement } from '@tidings/persistence/database';

/** Chains of one statement: bounds the memory that one answer takes. */
export const CHAINS_MAX = 1_000;

/**
 * Begins a statement about the `chain` (tenant_id, parent_tenant_id, level) from a tenant (`$1` its workspace, `$2`) up to its root,
 * `level` from 1. `$3` is `TENANT_LEVELS_MAX`: it bounds the recursion, whatever is stored.
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

// SQL because sends read many chains at once, and a chain is recursive.
/**
 * From each tenant (`$1`, `$2`) up to its root, at most `$3` levels. The subqueries make the plan one primary key lookup for each
 * step, whatever the planner's statistics.
 */
const CHAINS = statement(
  'tenant-chains',
  `with recursive chain as (
     select input.ordinal, input.workspace_id, input.tenant_id collate "C" as tenant_id, 1 as level
       from unnest($1::uuid[], $2::text[]) with ordinality as input (workspace_id, tenant_id, ordinal)
     union all
     select chain.ordinal, chain.workspace_id,
            (select below.parent_tenant_id from tenants below
              where below.workspace_id = chain.workspace_id and below.tenant_id = chain.tenant_id), chain.level + 1
       from chain where chain.level < $3 and chain.tenant_id is not null
   )
   select chain.ordinal::int as ordinal, tenant.tenant_id, tenant.name, tenant.brand_id, tenant.properties, tenant.user_profile
     from chain
    cross join lateral (
      select stored.tenant_id, stored.name, stored.brand_id, stored.properties, stored.user_profile from tenants stored
       where stored.workspace_id = chain.workspace_id and stored.tenant_id = chain.tenant_id limit 1
    ) tenant
    order by chain.ordinal, chain.level desc`,
);

/**
 * For each of `tenants`, in that order: the tenants from its root down to itself, so that values of a later one override those
 * of an earlier one. Empty where the tenant does not exist. One statement for all.
 * @throws Error for more than `CHAINS_MAX` tenants.
 */
export async function tenantChains(from: Queryable, tenants: readonly TenantKey[]) {
  if (tenants.length > CHAINS_MAX) throw new Error(`At most ${CHAINS_MAX} chains of tenants are read at once, not ${tenants.length}`);
  const chains: ChainTenant[][] = tenants.map(() => []);
  if (tenants.length === 0) return chains;
  const values = [...columnsOf(tenants, 'workspaceId', 'tenantId'), TENANT_LEVELS_MAX];
  const rows = await from.query<ChainTenant & { ordinal: number }>(CHAINS, values);
  for (const { ordinal, ...tenant } of rows) chains[ordinal - 1]!.push(tenant);
  return chains;
}
