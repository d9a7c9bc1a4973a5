import type { CallContext } from '@tidings/contracts/core/context';
import type { ProfileFields } from '@tidings/contracts/identity/profiles';
import {
  type LoadedRecipient,
  type LoadRecipients,
  type RecipientKey,
  recipients,
  RECIPIENTS_CHARS_MAX,
} from '@tidings/contracts/identity/recipients';
import { columnsOf } from '@tidings/persistence/columns-of';
import { Database, statement } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { preferencesOfMany, topicsById } from '../preferences/preferences-of-many';
import { usableTokens } from '../tokens/usable-tokens';
import { contextsOf, loadTenants, type RequestedTenant } from './tenant-context';

/**
 * SQL, because every send waits for it. One row for each pair, in input order. The subquery makes the plan one primary key lookup
 * for each pair, whatever the planner's statistics. Missing rows are inserted in key order, so that two loads of the same new users
 * do not deadlock.
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
  constructor(private readonly db: Database) {}

  /** At most seven statements for any number of recipients: four at once, then those of their tenants and topics. */
  async load(_context: CallContext, { recipients: requested, with: parts = [] }: LoadRecipients) {
    if (requested.length === 0) return { recipients: [], tenants: [], topics: [] };
    const keys = requested.map(({ workspace_id, user_id, topic_id }) => ({
      workspaceId: workspace_id,
      userId: user_id ?? NO_USER,
      topicId: topic_id ?? NO_TOPIC,
    }));
    const [profiles, tokens, contexts, preferences] = await Promise.all([
      this.profilesOf(requested),
      parts.includes('tokens') ? usableTokens(this.db, keys) : undefined,
      parts.includes('tenant') ? contextsOf(this.db, requested) : undefined,
      parts.includes('preferences') ? preferencesOfMany(this.db, keys) : undefined,
    ]);
    const found = profiles.slice(0, tokens?.length ?? profiles.length).map((profile, index): LoadedRecipient => {
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
    const loaded = found.slice(0, fittingCount(parts.length === 0 ? profiles : found.map((one) => JSON.stringify(one))));
    const served = requested.slice(0, loaded.length);
    const [tenants, topics] = await Promise.all([
      contexts ? loadTenants(this.db, tenantsOf(served, loaded, parts.includes('preferences'))) : [],
      preferences ? topicsById(this.db, topicsOf(served)) : [],
    ]);
    return { recipients: loaded, tenants, topics };
  }

  private async profilesOf(keys: readonly RecipientKey[]): Promise<string[]> {
    const rows = await this.db.query<{ profile: string }>(LOAD, columnsOf(keys, 'workspace_id', 'user_id'));
    return rows.map(({ profile }) => profile);
  }
}

/** How many of the texts, from the first on, fit into one answer: at least one. */
function fittingCount(texts: readonly string[]): number {
  let chars = 0;
  const end = texts.findIndex((text) => (chars += text.length) > RECIPIENTS_CHARS_MAX);
  return end === -1 ? texts.length : Math.max(end, 1);
}

function tenantsOf(keys: readonly RecipientKey[], loaded: readonly LoadedRecipient[], withTopics: boolean): RequestedTenant[] {
  const tenants = new Map<string, RequestedTenant & { topicIds: Set<string> }>();
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

function topicsOf(keys: readonly RecipientKey[]): { workspaceId: string; topicId: string }[] {
  const topics = new Map<string, { workspaceId: string; topicId: string }>();
  for (const { workspace_id, topic_id } of keys) {
    if (topic_id !== undefined) topics.set(`${workspace_id} ${topic_id}`, { workspaceId: workspace_id, topicId: topic_id });
  }
  return [...topics.values()];
}
