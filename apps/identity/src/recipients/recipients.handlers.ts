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
import { PREFERENCES_OF_INPUT, type PreferencesOfUser, topicsById } from '../preferences/preferences-of-many';
import { usableTokens } from '../tokens/usable-tokens';
import { tenantChains } from '../tenant-chain';

/** A recipient: the tenant in which a message is sent, the user's profiles and preferences. */
interface Row extends PreferencesOfUser {
  /** As text: its length counts. */
  profile: string;
  tenant_id: string | null;
  member_profile: ProfileFields | null;
}

// SQL because every send waits for these statements, each for a batch of recipients.
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

const CREATE = `, created as (
     insert into profiles (workspace_id, user_id, profile)
     select distinct workspace_id, user_id collate "C", '{}'::jsonb from input where profile is null and user_id is not null order by 1, 2
     on conflict do nothing
   )`;

/**
 * A row for each key, in input order. The subqueries make the plan primary key lookups for each key, whatever the planner's statistics.
 * Missing profiles are inserted in key order, so that two loads of the same new users do not deadlock. A null user (a bare address) has no
 * profile, and none is inserted. Without a named tenant the user's only one counts (reads at most two).
 */
export const LOAD = statement('recipients-load', loadingSql(CREATE));
/** The same without the insertion. */
export const READ = statement('recipients-read', loadingSql(''));

function loadingSql(created: string) {
  return `with input as materialized (
     select key.*, (select stored.profile from profiles stored
                     where stored.workspace_id = key.workspace_id and stored.user_id = key.user_id) as profile
       from unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) with ordinality as key (workspace_id, user_id, tenant_id, topic_id, ordinal)
   )${created}
   select coalesce(input.profile, '{}')::text as profile, context.tenant_id,
          (select member.profile from user_tenants member
            where member.workspace_id = input.workspace_id and member.user_id = input.user_id and member.tenant_id = context.tenant_id
          ) as member_profile,
          ${PREFERENCES_OF_INPUT}
     from input
    cross join lateral (
      select coalesce(input.tenant_id collate "C", (
        select min(own.tenant_id) from (
          select member.tenant_id from user_tenants member
           where input.tenant_id is null and member.workspace_id = input.workspace_id and member.user_id = input.user_id limit 2
        ) own having count(*) = 1)) as tenant_id
    ) context
    order by input.ordinal`;
}

/** No topic has this id: a request without a topic loads no choices. */
const NO_TOPIC = '';
/** No user has this id: a bare address has no tokens. */
const NO_USER = '';

@Handles(recipients)
export class RecipientsHandlers {
  constructor(private readonly database: Database) {}

  /** At most five statements for any number of recipients: two at once, then those of their tenants and topics. */
  async load(_context: CallContext, { recipients: requested, with: parts = [], only_reads }: LoadRecipients) {
    if (requested.length === 0) return { recipients: [], tenants: [], topics: [] };
    const keys = requested.map((key) => ({ ...key, topic_id: key.topic_id ?? NO_TOPIC }));
    const [rows, tokens] = await Promise.all([
      this.database.query<Row>(only_reads ? READ : LOAD, columnsOf(keys, 'workspace_id', 'user_id', 'tenant_id', 'topic_id')),
      parts.includes('tokens')
        ? usableTokens(
            this.database,
            requested.map(({ workspace_id: workspaceId, user_id: userId = NO_USER }) => ({ workspaceId, userId })),
          )
        : undefined,
    ]);
    const [withTenant, withPreferences] = [parts.includes('tenant'), parts.includes('preferences')];
    const found = rows.slice(0, tokens?.length ?? rows.length).map((row, index): LoadedRecipient => {
      const { profile, choices, map } = row;
      return {
        profile: JSON.parse(profile) as ProfileFields,
        tenant_id: (withTenant && row.tenant_id) || undefined,
        member_profile: (withTenant && row.member_profile) || undefined,
        ...(requested[index]!.user_id !== undefined && {
          tokens: tokens?.[index],
          ...(withPreferences && { choices, preferences: map ?? undefined }),
        }),
      };
    });
    // Without further parts the loaded texts of the profiles give the size.
    const texts = parts.length === 0 ? rows.map(({ profile }) => profile) : found.map((one) => JSON.stringify(one));
    const loaded = found.slice(0, fittingCount(texts));
    const served = requested.slice(0, loaded.length);
    const topicKeys = withPreferences ? topicsOf(served) : [];
    const [tenants, topics] = await Promise.all([
      withTenant ? loadTenants(this.database, tenantsOf(served, loaded, withPreferences)) : [],
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
