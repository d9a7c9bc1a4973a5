import type { CallContext } from '@tidings/contracts/core/context';
import { assertStorable } from '@tidings/contracts/core/text';
import type { ProfileFields } from '@tidings/contracts/identity/profiles';
import {
  type LoadedRecipient,
  type LoadedRecipients,
  type LoadRecipients,
  type RecipientKey,
  recipients,
  RECIPIENTS_CHARS_MAX,
} from '@tidings/contracts/identity/recipients';
import { Database, statement } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { preferencesOfMany, type PreferencesOfUser, topicsById } from '../preferences/preferences-of-many';
import { usableTokens } from '../tokens/usable-tokens';
import { type AskedTenant, type Context, contextsOf, loadTenants } from './tenant-context';

/**
 * One row for each pair asked, in the order asked. The subquery keeps the plan what it must be, one look into the primary
 * key for each pair, however little the planner knows of the table. The rows that are missing are inserted in the order of
 * the key, so that two loads of the same newcomers cannot wait for each other in a circle. Nobody (null) has no profile and gets none.
 */
const LOAD = statement(
  'recipients-load',
  `with asked as materialized (
     select pair.workspace_id, pair.user_id, pair.place,
            (select stored.profile from profiles stored
              where stored.workspace_id = pair.workspace_id and stored.user_id = pair.user_id) as profile
       from unnest($1::uuid[], $2::text[]) with ordinality as pair (workspace_id, user_id, place)
   ), created as (
     insert into profiles (workspace_id, user_id, profile)
     select distinct workspace_id, user_id collate "C", '{}'::jsonb from asked where profile is null and user_id is not null order by 1, 2
     on conflict do nothing
   )
   select coalesce(profile, '{}')::text as profile from asked order by place`,
);

/** No topic has it: whoever asks about none is told of no choices. */
const NO_TOPIC = '';
/** Nor has anybody it: a bare address owns nothing. */
const NO_USER = '';

@Handles(recipients)
export class RecipientsHandlers {
  constructor(private readonly db: Database) {}

  /** At most seven statements, however many are asked: the first four at once, then what they lead to. */
  async load(_context: CallContext, { recipients: asked, with: parts = [], ...rest }: LoadRecipients): Promise<LoadedRecipients> {
    rest satisfies Record<string, never>;
    assertStorable(asked, 'recipients');
    if (asked.length === 0) return { recipients: [], tenants: [], topics: [] };
    const keys = asked.map(({ workspace_id, user_id, topic_id }) => ({
      workspaceId: workspace_id,
      userId: user_id ?? NO_USER,
      topicId: topic_id ?? NO_TOPIC,
    }));
    const [profiles, tokens, contexts, preferences] = await Promise.all([
      this.profilesOf(asked),
      parts.includes('tokens') ? usableTokens(this.db, keys) : undefined,
      parts.includes('tenant') ? contextsOf(this.db, asked) : undefined,
      parts.includes('preferences') ? preferencesOfMany(this.db, keys) : undefined,
    ]);
    const found = profiles.slice(0, tokens?.length ?? profiles.length).map((profile, index): LoadedRecipient => {
      const isUser = keys[index]!.userId !== NO_USER;
      return {
        profile: JSON.parse(profile) as ProfileFields,
        ...(tokens && isUser && { tokens: tokens[index] }),
        ...(contexts && contextOf(contexts[index]!)),
        ...(preferences && isUser && choicesOf(preferences[index]!)),
      };
    });
    // Profiles alone are measured by their texts, which are there anyway.
    const loaded = found.slice(0, beginning(parts.length === 0 ? profiles : found.map((one) => JSON.stringify(one))));
    const served = asked.slice(0, loaded.length);
    const [tenants, topics] = await Promise.all([
      contexts ? loadTenants(this.db, tenantsOf(served, loaded, parts.includes('preferences'))) : [],
      preferences ? topicsById(this.db, topicsOf(served)) : [],
    ]);
    return { recipients: loaded, tenants, topics };
  }

  private async profilesOf(asked: readonly RecipientKey[]): Promise<string[]> {
    const rows = await this.db.query<{ profile: string }>(LOAD, [
      asked.map(({ workspace_id }) => workspace_id),
      asked.map(({ user_id }) => user_id ?? null),
    ]);
    return rows.map(({ profile }) => profile);
  }
}

function contextOf({ tenant_id, profile }: Context): Pick<LoadedRecipient, 'tenant_id' | 'member_profile'> {
  return { ...(tenant_id !== null && { tenant_id }), ...(profile !== null && { member_profile: profile }) };
}

function choicesOf({ choices, map }: PreferencesOfUser): Pick<LoadedRecipient, 'choices' | 'preferences'> {
  return { choices, ...(map !== null && { preferences: map }) };
}

/** How many of these texts one answer may hold: at least one. */
function beginning(texts: readonly string[]): number {
  let chars = 0;
  const end = texts.findIndex((text) => (chars += text.length) > RECIPIENTS_CHARS_MAX);
  return end === -1 ? texts.length : Math.max(end, 1);
}

function tenantsOf(asked: readonly RecipientKey[], loaded: readonly LoadedRecipient[], withTopics: boolean): AskedTenant[] {
  const tenants = new Map<string, AskedTenant & { topicIds: Set<string> }>();
  asked.forEach(({ workspace_id, topic_id }, index) => {
    const { tenant_id } = loaded[index]!;
    if (tenant_id === undefined) return;
    const key = `${workspace_id} ${tenant_id}`;
    const tenant = tenants.get(key) ?? { workspaceId: workspace_id, tenantId: tenant_id, topicIds: new Set() };
    tenants.set(key, tenant);
    if (withTopics && topic_id !== undefined) tenant.topicIds.add(topic_id);
  });
  return [...tenants.values()];
}

function topicsOf(asked: readonly RecipientKey[]): { workspaceId: string; topicId: string }[] {
  const topics = new Map<string, { workspaceId: string; topicId: string }>();
  for (const { workspace_id, topic_id } of asked) {
    if (topic_id !== undefined) topics.set(`${workspace_id} ${topic_id}`, { workspaceId: workspace_id, topicId: topic_id });
  }
  return [...topics.values()];
}
