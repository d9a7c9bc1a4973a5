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
  type TopicChoice,
  type TopicPreference,
  type UpsertUserPreferences,
  userPreferences,
  type UserPreferenceWritten,
} from '@tidings/contracts/identity/user-preferences';
import type { LoadedTopic, TenantDefault } from '@tidings/contracts/identity/recipients';
import { Database, type Queryable, statement, transactionOf } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { validateChoice } from './choice-rules';
import { preferencesOfMany, topicsById, topicsOfWorkspaces } from './preferences-of-many';
import { isRequired, toTopicPreference } from './topic-preference';
import { type ChoiceContext, lockChoices, removeChoice, removeOtherChoices, storeChoices, type TopicAndChoice } from './user-choices';
import { TENANT_LEVELS_MAX } from '@tidings/contracts/identity/tenants';
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

const WRITTEN: UserPreferenceWritten = { message: 'success' };

@Handles(userPreferences)
export class UserPreferencesHandlers {
  constructor(private readonly db: Database) {}

  async list(context: CallContext, request: ListUserPreferences) {
    const topics = await topicsOfWorkspaces(this.db, [context.workspaceId]);
    return { items: await this.effectiveFor(scopeOf(context, request), topics), paging: { more: false } };
  }

  async retrieve(context: CallContext, request: NamedUserPreference) {
    const { topic_id } = request;
    const topics = await topicsById(this.db, [{ workspaceId: context.workspaceId, topicId: topic_id }]);
    const [topic] = await this.effectiveFor(scopeOf(context, request), topics, topic_id);
    if (!topic) throw noTopic(topic_id);
    return { topic };
  }

  async put(context: CallContext, request: PutUserPreference, tx: EntityManager) {
    const { user_id, tenant_id, topic_id, topic, ...flat } = request;
    const requested = requestedChoice(topic ?? flat);
    const scope = scopeOf(context, { user_id, tenant_id });
    const existing = await lockForTopic(tx, scope, topic_id);
    const choice = validateChoice(topic_id, existing.required, requested);
    if ('reason' in choice) throw invalid(choice.reason);
    await storeChoices(tx, scope, [{ topic_id, ...choice }]);
    return WRITTEN;
  }

  async remove(context: CallContext, request: NamedUserPreference, tx: EntityManager) {
    const scope = scopeOf(context, request);
    await lockForTopic(tx, scope, request.topic_id);
    await removeChoice(tx, scope, request.topic_id);
  }

  /** All or nothing: one refused topic leaves every choice unchanged. */
  async replace(context: CallContext, request: ReplaceUserPreferences, tx: EntityManager) {
    const { user_id, tenant_id, topics, ...rest } = request;
    rest satisfies Record<string, never>;
    const scope = scopeOf(context, { user_id, tenant_id });
    const { valid, refused } = await this.validate(tx, scope, topics);
    if (refused[0]) throw invalid(refused[0].reason);
    const removed = await removeOtherChoices(
      tx,
      scope,
      valid.map(({ topic_id }) => topic_id),
    );
    await storeChoices(tx, scope, valid);
    const existing = new Set((await existingTopics(transactionOf(tx), scope, removed)).map(({ topic_id }) => topic_id));
    return { items: valid, deleted: removed.filter((topicId) => existing.has(topicId)) };
  }

  async upsert(context: CallContext, request: UpsertUserPreferences, tx: EntityManager) {
    const { user_id, tenant_id, topics, ...rest } = request;
    rest satisfies Record<string, never>;
    const scope = scopeOf(context, { user_id, tenant_id });
    const { valid, refused } = await this.validate(tx, scope, topics);
    await storeChoices(tx, scope, valid);
    return { items: valid, errors: refused };
  }

  /** @param onlyTopicId where `topics` holds one topic: only its choices are loaded. */
  private async effectiveFor(scope: ChoiceContext, topics: readonly LoadedTopic[], onlyTopicId?: string): Promise<TopicPreference[]> {
    if (topics.length === 0) return [];
    const { workspaceId, userId, tenantId } = scope;
    const topicIds = topics.map(({ topic_id }) => topic_id);
    const [[stored], defaults] = await Promise.all([
      preferencesOfMany(this.db, [{ workspaceId, userId, topicId: onlyTopicId ?? null }]),
      tenantDefaults(this.db, workspaceId, tenantId, topicIds),
    ]);
    const { choices, map } = stored!;
    const choicesOf = byTopic(choices);
    const defaultsOf = byTopic(defaults);
    return topics.map((topic) =>
      toTopicPreference(topic, scope, {
        choices: choicesOf.get(topic.topic_id) ?? [],
        map,
        tenantDefaults: defaultsOf.get(topic.topic_id) ?? [],
      }),
    );
  }

  /** Locks the user's choices. */
  private async validate(
    tx: EntityManager,
    scope: ChoiceContext,
    requested: readonly BulkTopic[],
  ): Promise<{ valid: (TopicAndChoice & ChosenTopic)[]; refused: RefusedTopic[] }> {
    assertEachOnce(requested);
    await lockChoices(tx, scope);
    const topicIds = requested.map(({ topic_id }) => topic_id);
    const existing = new Map((await existingTopics(transactionOf(tx), scope, topicIds)).map((topic) => [topic.topic_id, topic]));
    const valid: (TopicAndChoice & ChosenTopic)[] = [];
    const refused: RefusedTopic[] = [];
    for (const { topic_id, status, ...channels } of requested) {
      const topic = existing.get(topic_id);
      const choice = topic
        ? validateChoice(topic_id, topic.required, { status, ...channels })
        : { reason: `Topic ${topic_id} does not exist` };
      if ('reason' in choice) refused.push({ topic_id, reason: choice.reason });
      else valid.push({ topic_id, ...choice, status });
    }
    return { valid, refused };
  }
}

function scopeOf({ workspaceId }: CallContext, { user_id, tenant_id }: ListUserPreferences): ChoiceContext {
  return { workspaceId, userId: user_id, tenantId: tenant_id };
}

/** The existing topics among `topicIds`, and whether a default forbids opting out of them in this scope. */
async function existingTopics(
  from: Queryable,
  scope: ChoiceContext,
  topicIds: readonly string[],
): Promise<{ topic_id: string; required: boolean }[]> {
  if (topicIds.length === 0) return [];
  const topics = await topicsById(
    from,
    topicIds.map((topicId) => ({ workspaceId: scope.workspaceId, topicId })),
  );
  const defaultsOf = byTopic<TenantDefault>(await tenantDefaults(from, scope.workspaceId, scope.tenantId, topicIds));
  return topics.map((topic) => ({ topic_id: topic.topic_id, required: isRequired(topic, scope, defaultsOf.get(topic.topic_id) ?? []) }));
}

/** Locks the user's choices. @throws ServiceError `not_found` when the topic does not exist. */
async function lockForTopic(tx: EntityManager, scope: ChoiceContext, topicId: string): Promise<{ required: boolean }> {
  await lockChoices(tx, scope);
  const [existing] = await existingTopics(transactionOf(tx), scope, [topicId]);
  if (!existing) throw noTopic(topicId);
  return existing;
}

function requestedChoice({
  status,
  digest_schedule_id,
  ...channels
}: Partial<TopicChoice> | Omit<PutUserPreference, keyof NamedUserPreference>) {
  assertNoDigest(digest_schedule_id);
  if (!status) throw invalid(`topic.status must be one of ${PREFERENCE_STATUSES.join(', ')}`);
  return { status, custom_routing: channels.custom_routing, has_custom_routing: channels.has_custom_routing };
}

function assertNoDigest(scheduleId: string | null | undefined): void {
  if (scheduleId) throw new ServiceError('not_served', 'Digests are not served: leave out digest_schedule_id', { shouldRetry: false });
}

function assertEachOnce(topics: readonly BulkTopic[]): void {
  for (const { digest_schedule_id } of topics) assertNoDigest(digest_schedule_id);
  const indexes = new Map<string, number>();
  for (const [index, { topic_id }] of topics.entries()) {
    const first = indexes.get(topic_id);
    if (first !== undefined) {
      throw invalid(`topics[${index}].topic_id names ${topic_id}, as topics[${first}] does: name each topic once`);
    }
    indexes.set(topic_id, index);
  }
}

function byTopic<Row extends { topic_id: string }>(rows: readonly Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const one of rows) {
    const group = groups.get(one.topic_id);
    if (group) group.push(one);
    else groups.set(one.topic_id, [one]);
  }
  return groups;
}

const noTopic = (topicId: string): ServiceError => notFound(`Topic ${topicId} does not exist`);

/** The defaults of a tenant and its ancestors, nearest first; empty where the tenant does not exist or `topicIds` is empty. */
async function tenantDefaults(
  from: Queryable,
  workspaceId: string,
  tenantId: string | undefined,
  topicIds: readonly string[],
): Promise<TenantDefault[]> {
  if (tenantId === undefined || topicIds.length === 0) return [];
  return from.query<TenantDefault>(DEFAULTS, [workspaceId, tenantId, TENANT_LEVELS_MAX, topicIds, topicIds.length]);
}
