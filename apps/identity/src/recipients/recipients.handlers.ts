import type { CallContext } from '@tidings/contracts/core/context';
import type { ProfileFields } from '@tidings/contracts/identity/profiles';
import {
  type LoadedRecipient,
  type LoadedTenant,
  type LoadRecipients,
  type RecipientKey,
  recipients,
  RECIPIENTS_CHARS_MAX,
  type TenantDefault,
} from '@tidings/contracts/identity/recipients';
import { columnsOf } from '@tidings/persistence/columns-of';
import { Database, type Queryable, statement } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { preferencesOfMany, topicsById } from '../preferences/preferences-of-many';
import { usableTokens } from '../tokens/usable-tokens';
import { tenantChains } from '../tenant-chain';

/** The tenant in which a message is sent, and the user's profile there. */
interface Context {
  tenant_id: string | null;
  profile: ProfileFields | null;
}

// SQL because every send waits for these statements, each for a batch of recipients.
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

/** In input order. */
export const DEFAULTS = statement(
  'recipients-tenant-defaults',
  `select input.ordinal::int as ordinal, item.tenant_id, item.topic_id, item.status, item.has_custom_routing, item.custom_routing
     from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as input (workspace_id, tenant_id, topic_id, ordinal)
     join tenant_default_preferences item
       on item.workspace_id = input.workspace_id and item.tenant_id = input.tenant_id and item.topic_id = input.topic_id
    order by input.ordinal`,
);

/** A context, and the topics of the messages that are sent in it. */
interface RequestedTenant {
  workspaceId: string;
  tenantId: string;
  topicIds: Set<string>;
}

/**
 * One row for each pair, in input order. The subquery makes the plan one primary key lookup for each pair, whatever the planner's
 * statistics. Missing rows are inserted in key order, so that two loads of the same new users do not deadlock.
 * A null user (a bare address) has no profile, and none is inserted.
 */
const LOAD = statement(
  'recipients-load',
  `with input as materialized (
     select pair.workspace_id, pair.user_id, pair.ordinal,
            (select stored.profile from profiles stored
              where stored.workspace_id = pair.workspace_id and stored.user_id = pair.user_id) as profile
       from unnest($1::uuid[], $2::text[]) with ordinality as pair (workspace_id, user_id, ordinal)
   ), created as (
     insert into profiles (workspace_id, user_id, profile)
     select distinct workspace_id, user_id collate "C", '{}'::jsonb from input where profile is null and user_id is not null order by 1, 2
     on conflict do nothing
   )
   select coalesce(profile, '{}')::text as profile from input order by ordinal`,
);

/** No topic has this id: a request without a topic loads no choices. */
const NO_TOPIC = '';
/** No user has this id: a bare address has neither tokens nor choices. */
const NO_USER = '';

@Handles(recipients)
export class RecipientsHandlers {
  constructor(private readonly database: Database) {}

  /** At most seven statements for any number of recipients: four at once, then those of their tenants and topics. */
  async load(_context: CallContext, { recipients: requested, with: parts = [] }: LoadRecipients) {
    if (requested.length === 0) return { recipients: [], tenants: [], topics: [] };
    const keys = requested.map(({ workspace_id, user_id, topic_id }) => ({
      workspaceId: workspace_id,
      userId: user_id ?? NO_USER,
      topicId: topic_id ?? NO_TOPIC,
    }));
    const [profiles, tokens, contexts, preferences] = await Promise.all([
      this.database.query<{ profile: string }>(LOAD, columnsOf(requested, 'workspace_id', 'user_id')),
      parts.includes('tokens') ? usableTokens(this.database, keys) : undefined,
      parts.includes('tenant')
        ? this.database.query<Context>(CONTEXTS, columnsOf(requested, 'workspace_id', 'user_id', 'tenant_id'))
        : undefined,
      parts.includes('preferences') ? preferencesOfMany(this.database, keys) : undefined,
    ]);
    const found = profiles.slice(0, tokens?.length ?? profiles.length).map(({ profile }, index): LoadedRecipient => {
      const isUser = keys[index]!.userId !== NO_USER;
      return {
        profile: JSON.parse(profile) as ProfileFields,
        tenant_id: contexts?.[index]!.tenant_id ?? undefined,
        member_profile: contexts?.[index]!.profile ?? undefined,
        ...(isUser && {
          tokens: tokens?.[index],
          choices: preferences?.[index]!.choices,
          preferences: preferences?.[index]!.map ?? undefined,
        }),
      };
    });
    // Without further parts the loaded texts of the profiles give the size.
    const texts = parts.length === 0 ? profiles.map(({ profile }) => profile) : found.map((one) => JSON.stringify(one));
    const loaded = found.slice(0, fittingCount(texts));
    const served = requested.slice(0, loaded.length);
    const topicKeys = preferences ? topicsOf(served) : [];
    const [tenants, topics] = await Promise.all([
      contexts ? loadTenants(this.database, tenantsOf(served, loaded, parts.includes('preferences'))) : [],
      topicKeys.length > 0 ? topicsById(this.database, topicKeys) : [],
    ]);
    return { recipients: loaded, tenants, topics };
  }
}

/** How many of the texts, from the first on, fit into one answer: at least one. */
function fittingCount(texts: readonly string[]) {
  let chars = 0;
  const end = texts.findIndex((text) => (chars += text.length) > RECIPIENTS_CHARS_MAX);
  return end === -1 ? texts.length : Math.max(end, 1);
}

function tenantsOf(keys: readonly RecipientKey[], loaded: readonly LoadedRecipient[], withTopics: boolean) {
  const tenants = new Map<string, RequestedTenant>();
  keys.forEach(({ workspace_id, topic_id }, index) => {
    const { tenant_id } = loaded[index]!;
    if (tenant_id === undefined) return;
    const key = `${workspace_id} ${tenant_id}`;
    const tenant = tenants.get(key) ?? { workspaceId: workspace_id, tenantId: tenant_id, topicIds: new Set() };
    tenants.set(key, tenant);
    if (withTopics && topic_id !== undefined) tenant.topicIds.add(topic_id);
  });
  return [...tenants.values()];
}

function topicsOf(keys: readonly RecipientKey[]) {
  const topics = new Map<string, { workspaceId: string; topicId: string }>();
  for (const { workspace_id, topic_id } of keys) {
    if (topic_id !== undefined) topics.set(`${workspace_id} ${topic_id}`, { workspaceId: workspace_id, topicId: topic_id });
  }
  return [...topics.values()];
}

/** The existing tenants, each with its ancestors and their defaults, in two statements. Name each once. */
async function loadTenants(from: Queryable, requested: readonly RequestedTenant[]) {
  if (requested.length === 0) return [];
  const chains = await tenantChains(from, requested);
  const loaded: LoadedTenant[] = [];
  const wanted: { owner: LoadedTenant; workspaceId: string; tenantId: string; topicId: string }[] = [];
  requested.forEach(({ workspaceId, tenantId, topicIds }, index) => {
    const chain = chains[index]!;
    if (chain.length === 0) return;
    const owner: LoadedTenant = { workspace_id: workspaceId, tenant_id: tenantId, chain, defaults: [] };
    loaded.push(owner);
    for (const { tenant_id } of chain.toReversed()) {
      for (const topicId of topicIds) wanted.push({ owner, workspaceId, tenantId: tenant_id, topicId });
    }
  });
  if (wanted.length === 0) return loaded;
  const rows = await from.query<TenantDefault & { ordinal: number }>(DEFAULTS, columnsOf(wanted, 'workspaceId', 'tenantId', 'topicId'));
  for (const { ordinal, ...item } of rows) wanted[ordinal - 1]!.owner.defaults.push(item);
  return loaded;
}
