import type { ProfileFields } from '@tidings/contracts/identity/profiles';
import type { ChainTenant, LoadedTenant, RecipientKey, TenantDefault } from '@tidings/contracts/identity/recipients';
import { columnsOf } from '@tidings/persistence/columns-of';
import { type Queryable, statement } from '@tidings/persistence/database';
import { tenantChains } from '../tenant-chain';

/** The tenant in which a message is sent, and the user's profile there. */
interface Context {
  tenant_id: string | null;
  profile: ProfileFields | null;
}

/** A row for each key, in input order. Without a named tenant the user's only one counts (reads at most two). A bare address has none. */
export const CONTEXTS = statement(
  'recipients-contexts',
  `select context.tenant_id,
          (select member.profile from user_tenants member
            where member.workspace_id = input.workspace_id and member.user_id = input.user_id and member.tenant_id = context.tenant_id) as profile
     from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as input (workspace_id, user_id, tenant_id, ordinal)
    cross join lateral (
      select coalesce(input.tenant_id collate "C", (
        select min(own.tenant_id) from (
          select member.tenant_id from user_tenants member
           where input.tenant_id is null and member.workspace_id = input.workspace_id and member.user_id = input.user_id limit 2
        ) own having count(*) = 1)) as tenant_id
    ) context
    order by input.ordinal`,
);

/** SQL, because every send waits for it. In input order. */
export const DEFAULTS = statement(
  'recipients-tenant-defaults',
  `select input.ordinal::int as ordinal, item.tenant_id, item.topic_id, item.status, item.has_custom_routing, item.custom_routing
     from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as input (workspace_id, tenant_id, topic_id, ordinal)
     join tenant_default_preferences item
       on item.workspace_id = input.workspace_id and item.tenant_id = input.tenant_id and item.topic_id = input.topic_id
    order by input.ordinal`,
);

/** The context of each key, in one statement, in the order of `keys`. */
export function contextsOf(from: Queryable, keys: readonly RecipientKey[]): Promise<Context[]> {
  return from.query<Context>(CONTEXTS, columnsOf(keys, 'workspace_id', 'user_id', 'tenant_id'));
}

/** A context, and the topics of the messages that are sent in it. */
export interface RequestedTenant {
  workspaceId: string;
  tenantId: string;
  topicIds: ReadonlySet<string>;
}

/** The existing tenants, each with its ancestors and their defaults, in two statements. Name each once. */
export async function loadTenants(from: Queryable, requested: readonly RequestedTenant[]): Promise<LoadedTenant[]> {
  if (requested.length === 0) return [];
  const chains = await tenantChains(from, requested);
  const loaded: LoadedTenant[] = [];
  const wanted: { owner: LoadedTenant; workspaceId: string; tenantId: string; topicId: string }[] = [];
  requested.forEach(({ workspaceId, tenantId, topicIds }, index) => {
    const chain: ChainTenant[] = chains[index]!;
    if (chain.length === 0) return;
    const owner: LoadedTenant = { workspace_id: workspaceId, tenant_id: tenantId, chain, defaults: [] };
    loaded.push(owner);
    for (const { tenant_id } of chain.toReversed()) {
      for (const topicId of topicIds) wanted.push({ owner, workspaceId, tenantId: tenant_id, topicId });
    }
  });
  if (wanted.length === 0) return loaded;
  const rows = await from.query<TenantDefault & { ordinal: number }>(DEFAULTS, [
    ...columnsOf(wanted, 'workspaceId', 'tenantId', 'topicId'),
  ]);
  for (const { ordinal, ...item } of rows) wanted[ordinal - 1]!.owner.defaults.push(item);
  return loaded;
}
