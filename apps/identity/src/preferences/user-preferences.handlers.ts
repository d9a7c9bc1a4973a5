import { invalid, notFound } from '@tidings/contracts/core/refusals';
import type { EntityManager } from 'typeorm';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { PREFERENCE_STATUSES } from '@tidings/contracts/core/preferences';
import {
  type BulkTopic,
  type ChosenTopic,
  type ListUserPreferences,
  type NamedUserPreference,
  type PutUserPreference,
  type RefusedTopic,
  type ReplaceUserPreferences,
  type UpsertUserPreferences,
  userPreferences,
} from '@tidings/contracts/identity/user-preferences';
import type { LoadedTopic, TenantDefault } from '@tidings/contracts/identity/recipients';
import { Database, type Queryable, statement, transactionOf } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { preferencesOfMany, topicsById, topicsOfWorkspaces } from './preferences-of-many';
import { isRequired, toTopicPreference } from './topic-preference';
import {
  type ChoiceContext,
  lockChoices,
  removeChoice,
  removeOtherChoices,
  storeChoices,
  type TopicAndChoice,
  validateChoice,
} from './user-choices';
import { TENANT_LEVELS_MAX } from '@tidings/contracts/identity/tenants';
import { WITH_CHAIN } from '../tenant-chain';

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

@Handles(userPreferences)
export class UserPreferencesHandlers {
  constructor(private readonly database: Database) {}

  async list(context: CallContext, request: ListUserPreferences) {
    const topics = await topicsOfWorkspaces(this.database, [context.workspaceId]);
    return { items: await this.effectiveFor(scopeOf(context, request), topics), paging: { more: false } };
  }

  async retrieve(context: CallContext, request: NamedUserPreference) {
    const { topic_id } = request;
    const topics = await topicsById(this.database, [{ workspaceId: context.workspaceId, topicId: topic_id }]);
    const [topic] = await this.effectiveFor(scopeOf(context, request), topics, topic_id);
    if (!topic) throw noTopic(topic_id);
    return { topic };
  }

  async put(context: CallContext, request: PutUserPreference, tx: EntityManager) {
    const { user_id, tenant_id, topic_id, topic, ...flat } = request;
    const { status, digest_schedule_id, ...channels } = topic ?? flat;
    assertNoDigest(digest_schedule_id);
    if (!status) throw invalid(`topic.status must be one of ${PREFERENCE_STATUSES.join(', ')}`);
    const scope = scopeOf(context, { user_id, tenant_id });
    const required = await lockForTopic(tx, scope, topic_id);
    const choice = validateChoice(required, { topic_id, status, ...channels });
    if ('reason' in choice) throw invalid(choice.reason);
    await storeChoices(tx, scope, [choice]);
    return { message: 'success' as const };
  }

  async remove(context: CallContext, request: NamedUserPreference, tx: EntityManager) {
    const scope = scopeOf(context, request);
    await lockForTopic(tx, scope, request.topic_id);
    await removeChoice(tx, scope, request.topic_id);
  }

  /** All or nothing: one refused topic leaves every choice unchanged. */
  async replace(context: CallContext, request: ReplaceUserPreferences, tx: EntityManager) {
    const { scope, valid, items, refused } = await validate(tx, context, request);
    if (refused[0]) throw invalid(refused[0].reason);
    const deleted = await removeOtherChoices(
      tx,
      scope,
      valid.map(({ topic_id }) => topic_id),
    );
    await storeChoices(tx, scope, valid);
    return { items, deleted };
  }

  async upsert(context: CallContext, request: UpsertUserPreferences, tx: EntityManager) {
    const { scope, valid, items, refused } = await validate(tx, context, request);
    await storeChoices(tx, scope, valid);
    return { items, errors: refused };
  }

  /** @param onlyTopicId where `topics` holds one topic: only its choices are loaded. */
  private async effectiveFor(scope: ChoiceContext, topics: readonly LoadedTopic[], onlyTopicId?: string) {
    if (topics.length === 0) return [];
    const { workspaceId, userId } = scope;
    const [[stored], defaults] = await Promise.all([
      preferencesOfMany(this.database, [{ workspaceId, userId, topicId: onlyTopicId ?? null }]),
      defaultsByTopic(
        this.database,
        scope,
        topics.map(({ topic_id }) => topic_id),
      ),
    ]);
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
}

function scopeOf({ workspaceId }: CallContext, { user_id, tenant_id }: ListUserPreferences) {
  return { workspaceId, userId: user_id, tenantId: tenant_id };
}

/** The choices to store, also as answered (`items`), and the refused ones. Locks the user's choices. */
async function validate(tx: EntityManager, context: CallContext, request: ReplaceUserPreferences) {
  const { user_id, tenant_id, topics, ...rest } = request;
  rest satisfies Record<string, never>;
  assertEachOnce(topics);
  const scope = scopeOf(context, { user_id, tenant_id });
  await lockChoices(tx, scope.workspaceId, scope.userId);
  const existing = await existingTopics(
    tx,
    scope,
    topics.map(({ topic_id }) => topic_id),
  );
  const valid: TopicAndChoice[] = [];
  const items: ChosenTopic[] = [];
  const refused: RefusedTopic[] = [];
  for (const topic of topics) {
    const { topic_id, status } = topic;
    const required = existing.get(topic_id);
    const choice = required === undefined ? { topic_id, reason: `Topic ${topic_id} does not exist` } : validateChoice(required, topic);
    if ('reason' in choice) {
      refused.push(choice);
    } else {
      valid.push(choice);
      items.push({ ...choice, status });
    }
  }
  return { scope, valid, items, refused };
}

/** For each existing topic among `topicIds`: whether a default forbids opting out of it in this scope. */
async function existingTopics(tx: EntityManager, scope: ChoiceContext, topicIds: readonly string[]) {
  if (topicIds.length === 0) return new Map<string, boolean>();
  const sql = transactionOf(tx);
  const topics = await topicsById(
    sql,
    topicIds.map((topicId) => ({ workspaceId: scope.workspaceId, topicId })),
  );
  const defaults = await defaultsByTopic(sql, scope, topicIds);
  return new Map(topics.map((topic) => [topic.topic_id, isRequired(topic, scope, defaults.get(topic.topic_id) ?? [])]));
}

/**
 * Locks the user's choices. Whether a default forbids opting out of the topic.
 * @throws ServiceError `not_found` when the topic does not exist.
 */
async function lockForTopic(tx: EntityManager, scope: ChoiceContext, topicId: string) {
  await lockChoices(tx, scope.workspaceId, scope.userId);
  const required = (await existingTopics(tx, scope, [topicId])).get(topicId);
  if (required === undefined) throw noTopic(topicId);
  return required;
}

function assertNoDigest(scheduleId: string | null | undefined) {
  if (scheduleId) throw new ServiceError('not_served', 'Digests are not served: leave out digest_schedule_id', { shouldRetry: false });
}

function assertEachOnce(topics: readonly BulkTopic[]) {
  for (const { digest_schedule_id } of topics) assertNoDigest(digest_schedule_id);
  for (const [index, { topic_id }] of topics.entries()) {
    const first = topics.findIndex((topic) => topic.topic_id === topic_id);
    if (first < index) throw invalid(`topics[${index}].topic_id names ${topic_id}, as topics[${first}] does: name each topic once`);
  }
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

const noTopic = (topicId: string) => notFound(`Topic ${topicId} does not exist`);

/** The defaults of a tenant and its ancestors by topic, nearest first; empty where the tenant does not exist. */
async function defaultsByTopic(from: Queryable, { workspaceId, tenantId }: ChoiceContext, topicIds: readonly string[]) {
  const values = [workspaceId, tenantId, TENANT_LEVELS_MAX, topicIds, topicIds.length];
  return byTopic(tenantId === undefined ? [] : await from.query<TenantDefault>(DEFAULTS, values));
}
