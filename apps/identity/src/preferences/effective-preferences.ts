import type { LoadedTopic, TenantDefault } from '@tidings/contracts/identity/recipients';
import { TENANT_LEVELS_MAX } from '@tidings/contracts/identity/tenants';
import type { TopicPreference } from '@tidings/contracts/identity/user-preferences';
import { type Queryable, statement, transactionOf } from '@tidings/persistence/database';
import type { EntityManager } from 'typeorm';
import { WITH_CHAIN } from '../tenant-chain';
import { preferencesOfMany, topicsById } from './preferences-of-many';
import { type ChoiceContext, isRequired, toTopicPreference } from './topic-preference';

// SQL because the chain of tenants is recursive.
/** The leaf's items first, the root's last. The limit drops nothing; it makes each tenant one primary key lookup. */
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

/** The preferences that count for a user, in the order of the topics. */
export async function effectivePreferences(
  from: Queryable,
  scope: ChoiceContext,
  topics: readonly LoadedTopic[],
): Promise<TopicPreference[]> {
  if (topics.length === 0) return [];
  const { workspaceId, userId } = scope;
  const topicIds = topics.map(({ topic_id }) => topic_id);
  const topicId = topicIds.length === 1 ? topicIds[0]! : null;
  const [stored] = await preferencesOfMany(from, [{ workspaceId, userId, topicId }]);
  const defaults = await defaultsByTopic(from, scope, topicIds);
  const { choices, map } = stored!;
  const choicesOf = byTopic(choices);
  return topics.map((topic) =>
    toTopicPreference(topic, scope, {
      choices: choicesOf.get(topic.topic_id) ?? [],
      map,
      tenantDefaults: defaults.get(topic.topic_id) ?? [],
    }),
  );
}

/** For each existing topic among `topicIds`: whether a default forbids opting out of it in this scope. */
export async function requirements(tx: EntityManager, scope: ChoiceContext, topicIds: readonly string[]) {
  if (topicIds.length === 0) return new Map<string, boolean>();
  const sql = transactionOf(tx);
  const topics = await topicsById(
    sql,
    topicIds.map((topicId) => ({ workspaceId: scope.workspaceId, topicId })),
  );
  const defaults = await defaultsByTopic(sql, scope, topicIds);
  return new Map(topics.map((topic) => [topic.topic_id, isRequired(topic, scope, defaults.get(topic.topic_id) ?? [])]));
}

function byTopic<Row extends { topic_id: string }>(rows: readonly Row[]) {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.topic_id);
    if (group) group.push(row);
    else groups.set(row.topic_id, [row]);
  }
  return groups;
}

/** The defaults of a tenant and its ancestors by topic, nearest first; empty where the tenant does not exist. */
async function defaultsByTopic(from: Queryable, { workspaceId, tenantId }: ChoiceContext, topicIds: readonly string[]) {
  const values = [workspaceId, tenantId, TENANT_LEVELS_MAX, topicIds, topicIds.length];
  return byTopic(tenantId === undefined ? [] : await from.query<TenantDefault>(DEFAULTS, values));
}
