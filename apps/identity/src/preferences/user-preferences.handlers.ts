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
import { Database } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { effectivePreferences, requirements } from './effective-preferences';
import { topicsById, topicsOfWorkspaces } from './preferences-of-many';
import type { ChoiceContext, TopicAndChoice } from './topic-preference';
import { lockChoices, removeChoice, removeOtherChoices, storeChoices, validateChoice } from './user-choices';

@Handles(userPreferences)
export class UserPreferencesHandlers {
  constructor(private readonly database: Database) {}

  async list(context: CallContext, request: ListUserPreferences) {
    const topics = await topicsOfWorkspaces(this.database, [context.workspaceId]);
    return { items: await effectivePreferences(this.database, scopeOf(context, request), topics), paging: { more: false } };
  }

  async retrieve(context: CallContext, request: NamedUserPreference) {
    const { topic_id } = request;
    const topics = await topicsById(this.database, [{ workspaceId: context.workspaceId, topicId: topic_id }]);
    const [topic] = await effectivePreferences(this.database, scopeOf(context, request), topics);
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
  const existing = await requirements(
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

/**
 * Locks the user's choices. Whether a default forbids opting out of the topic.
 * @throws ServiceError `not_found` when the topic does not exist.
 */
async function lockForTopic(tx: EntityManager, scope: ChoiceContext, topicId: string) {
  await lockChoices(tx, scope.workspaceId, scope.userId);
  const required = (await requirements(tx, scope, [topicId])).get(topicId);
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

const noTopic = (topicId: string) => notFound(`Topic ${topicId} does not exist`);
