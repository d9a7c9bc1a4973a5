import type { TenantDefault } from '@tidings/contracts/identity/recipients';
import { TENANT_LEVELS_MAX } from '@tidings/contracts/identity/tenants';
import { type Queryable, statement } from '@tidings/persistence/database';
import { WITH_CHAIN } from '../tenant-chain';

/**
 * SQL, because the chain is recursive. The leaf's items first, the root's last. The limit drops nothing; it makes each tenant one primary
 * key lookup.
 */
const DEFAULTS = statement(
  'tenant-defaults-of-chain',
  `${WITH_CHAIN}
   select item.tenant_id, item.topic_id, item.status, item.has_custom_routing, item.custom_routing
     from chain
    cross join lateral (
      select tenant_id, topic_id, status, has_custom_routing, custom_routing from tenant_default_preferences
       where workspace_id = $1 and tenant_id = chain.tenant_id and topic_id = any($4) limit $5
    ) item
    order by chain.level`,
);

/** The defaults of a tenant and its ancestors, nearest first; empty where the tenant does not exist or `topicIds` is empty. */
export async function tenantDefaults(
  from: Queryable,
  workspaceId: string,
  tenantId: string | undefined,
  topicIds: readonly string[],
): Promise<TenantDefault[]> {
  if (tenantId === undefined || topicIds.length === 0) return [];
  return from.query<TenantDefault>(DEFAULTS, [workspaceId, tenantId, TENANT_LEVELS_MAX, topicIds, topicIds.length]);
}
