import type { ProfileFields } from '@tidings/contracts/identity/profiles';
import type { ChainTenant, LoadedTenant, RecipientKey, TenantDefault } from '@tidings/contracts/identity/recipients';
import { type Queryable, statement } from '@tidings/persistence/database';
import { tenantChains } from '../tenants/tenant-chain';

/** In which tenant a message is sent, and what the user is there. */
export interface Context {
  tenant_id: string | null;
  profile: ProfileFields | null;
}

/** A row for each key, in the order asked. Where no tenant is named, the user's only one counts; of two it reads no more. A bare address has none. */
export const CONTEXTS = statement(
  'recipients-contexts',
  `select context.tenant_id,
          (select member.profile from user_tenants member
            where member.workspace_id = asked.workspace_id and member.user_id = asked.user_id and member.tenant_id = context.tenant_id) as profile
     from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as asked (workspace_id, user_id, tenant_id, place)
    cross join lateral (
      select coalesce(asked.tenant_id collate "C", (
        select min(own.tenant_id) from (
          select member.tenant_id from user_tenants member
           where asked.tenant_id is null and member.workspace_id = asked.workspace_id and member.user_id = asked.user_id limit 2
        ) own having count(*) = 1)) as tenant_id
    ) context
    order by asked.place`,
);

/** In the order asked. */
export const DEFAULTS = statement(
  'recipients-tenant-defaults',
  `select asked.place::int as place, item.tenant_id, item.topic_id, item.status, item.has_custom_routing, item.custom_routing
     from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as asked (workspace_id, tenant_id, topic_id, place)
     join tenant_default_preferences item
       on item.workspace_id = asked.workspace_id and item.tenant_id = asked.tenant_id and item.topic_id = asked.topic_id
    order by asked.place`,
);

/** The context of each key, in one statement, in the order asked. */
export function contextsOf(from: Queryable, keys: readonly RecipientKey[]): Promise<Context[]> {
  return from.query<Context>(CONTEXTS, [
    keys.map(({ workspace_id }) => workspace_id),
    keys.map(({ user_id }) => user_id ?? null),
    keys.map(({ tenant_id }) => tenant_id ?? null),
  ]);
}

/** A context, and the topics of the messages that are sent in it. */
export interface AskedTenant {
  workspaceId: string;
  tenantId: string;
  topicIds: ReadonlySet<string>;
}

/** Those that exist, each with its ancestors and their defaults, in two statements. Name each once. */
export async function loadTenants(from: Queryable, asked: readonly AskedTenant[]): Promise<LoadedTenant[]> {
  if (asked.length === 0) return [];
  const chains = await tenantChains(from, asked);
  const loaded: LoadedTenant[] = [];
  const wanted: { owner: LoadedTenant; workspaceId: string; tenantId: string; topicId: string }[] = [];
  asked.forEach(({ workspaceId, tenantId, topicIds }, index) => {
    const chain: ChainTenant[] = chains[index]!;
    if (chain.length === 0) return;
    const owner: LoadedTenant = { workspace_id: workspaceId, tenant_id: tenantId, chain, defaults: [] };
    loaded.push(owner);
    for (const { tenant_id } of chain.toReversed()) {
      for (const topicId of topicIds) wanted.push({ owner, workspaceId, tenantId: tenant_id, topicId });
    }
  });
  if (wanted.length === 0) return loaded;
  const rows = await from.query<TenantDefault & { place: number }>(DEFAULTS, [
    wanted.map(({ workspaceId }) => workspaceId),
    wanted.map(({ tenantId }) => tenantId),
    wanted.map(({ topicId }) => topicId),
  ]);
  for (const { place, ...item } of rows) wanted[place - 1]!.owner.defaults.push(item);
  return loaded;
}
