import type { TenantDefault } from '@tidings/contracts/identity/recipients';
import { TENANT_LEVELS_MAX } from '@tidings/contracts/identity/tenants';
import { type Queryable, statement } from '@tidings/persistence/database';

/** The leaf's items first, the root's last. The limit drops nothing; with it each tenant is one look into the key. */
const DEFAULTS = statement(
  'tenant-defaults-of-chain',
  `with recursive chain as (
     select tenant_id, parent_tenant_id, 1 as level from tenants where workspace_id = $1 and tenant_id = $2
     union all
     select parent.tenant_id, parent.parent_tenant_id, chain.level + 1
       from chain join tenants parent on parent.workspace_id = $1 and parent.tenant_id = chain.parent_tenant_id
      where chain.level < $4
   )
   select item.tenant_id, item.topic_id, item.status, item.has_custom_routing, item.custom_routing
     from chain
    cross join lateral (
      select tenant_id, topic_id, status, has_custom_routing, custom_routing from tenant_default_preferences
       where workspace_id = $1 and tenant_id = chain.tenant_id and topic_id = any($3) limit $5
    ) item
    order by chain.level`,
);

/** The defaults of a tenant and those above it, nearest first; none where the tenant is not there, or none is asked. */
export async function tenantDefaults(
  from: Queryable,
  workspaceId: string,
  tenantId: string | undefined,
  topicIds: readonly string[],
): Promise<TenantDefault[]> {
  if (tenantId === undefined || topicIds.length === 0) return [];
  return from.query<TenantDefault>(DEFAULTS, [workspaceId, tenantId, topicIds, TENANT_LEVELS_MAX, topicIds.length]);
}
