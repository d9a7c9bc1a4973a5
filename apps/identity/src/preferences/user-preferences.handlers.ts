import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { PREFERENCE_STATUSES } from '@tidings/contracts/core/preferences';
import { assertStorable } from '@tidings/contracts/core/text';
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
  type UserPreference,
  type UserPreferences,
  userPreferences,
  type UserPreferencesReplaced,
  type UserPreferencesUpserted,
  type UserPreferenceWritten,
} from '@tidings/contracts/identity/user-preferences';
import type { LoadedTopic, TenantDefault } from '@tidings/contracts/identity/recipients';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database, type Queryable } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { judgeChoice } from './choice-rules';
import { preferencesOfMany, topicsById, topicsOfWorkspaces } from './preferences-of-many';
import { tenantDefaults } from './tenant-defaults';
import { isRequired, toTopicPreference } from './topic-preference';
import { type ChoiceContext, lockChoices, removeChoice, removeOtherChoices, storeChoices, type TopicAndChoice } from './user-choices';

const WRITTEN: UserPreferenceWritten = { message: 'success' };

@Handles(userPreferences)
export class UserPreferencesHandlers {
  constructor(
    private readonly db: Database,
    private readonly calls: CallJournal,
  ) {}

  async list({ workspaceId }: CallContext, { user_id, tenant_id, ...rest }: ListUserPreferences): Promise<UserPreferences> {
    rest satisfies Record<string, never>;
    assertStorable({ user_id, tenant_id }, '');
    const topics = await topicsOfWorkspaces(this.db, [workspaceId]);
    return { items: await this.countingFor({ workspaceId, userId: user_id, tenantId: tenant_id }, topics), paging: { more: false } };
  }

  async retrieve({ workspaceId }: CallContext, request: NamedUserPreference): Promise<UserPreference> {
    const { user_id, tenant_id, topic_id, ...rest } = request;
    rest satisfies Record<string, never>;
    assertStorable(request, '');
    const topics = await topicsById(this.db, [{ workspaceId, topicId: topic_id }]);
    const [topic] = await this.countingFor({ workspaceId, userId: user_id, tenantId: tenant_id }, topics, topic_id);
    if (!topic) throw noTopic(topic_id);
    return { topic };
  }

  async put(context: CallContext, request: PutUserPreference): Promise<UserPreferenceWritten> {
    const { user_id, tenant_id, topic_id, topic, ...flat } = request;
    assertStorable(request, '');
    const asked = askedChoice(topic ?? flat);
    const place = { workspaceId: context.workspaceId, userId: user_id, tenantId: tenant_id };
    return this.calls.once(context, async (tx) => {
      await lockChoices(tx, place);
      const [known] = await knownTopics(tx, place, [topic_id]);
      if (!known) throw noTopic(topic_id);
      const judged = judgeChoice(topic_id, known.required, asked);
      if ('reason' in judged) throw new ServiceError('invalid_request', judged.reason);
      await storeChoices(tx, place, [{ topic_id, ...judged }]);
      return WRITTEN;
    });
  }

  async remove(context: CallContext, request: NamedUserPreference): Promise<void> {
    const { user_id, tenant_id, topic_id, ...rest } = request;
    rest satisfies Record<string, never>;
    assertStorable(request, '');
    const place = { workspaceId: context.workspaceId, userId: user_id, tenantId: tenant_id };
    await this.calls.once(context, async (tx) => {
      await lockChoices(tx, place);
      const [known] = await knownTopics(tx, place, [topic_id]);
      if (!known) throw noTopic(topic_id);
      await removeChoice(tx, place, topic_id);
    });
  }

  /** All or nothing: one topic that is refused leaves every choice as it was. */
  async replace(context: CallContext, request: ReplaceUserPreferences): Promise<UserPreferencesReplaced> {
    const { user_id, tenant_id, topics, ...rest } = request;
    rest satisfies Record<string, never>;
    assertStorable(request, '');
    assertEachOnce(topics);
    const place = { workspaceId: context.workspaceId, userId: user_id, tenantId: tenant_id };
    return this.calls.once(context, async (tx) => {
      await lockChoices(tx, place);
      const { kept, refused } = await this.judge(tx, place, topics);
      if (refused[0]) throw new ServiceError('invalid_request', refused[0].reason);
      const forgotten = await removeOtherChoices(
        tx,
        place,
        kept.map(({ topic_id }) => topic_id),
      );
      await storeChoices(tx, place, kept);
      const there = new Set((await knownTopics(tx, place, forgotten)).map(({ topic_id }) => topic_id));
      return { items: kept, deleted: forgotten.filter((topicId) => there.has(topicId)) };
    });
  }

  async upsert(context: CallContext, request: UpsertUserPreferences): Promise<UserPreferencesUpserted> {
    const { user_id, tenant_id, topics, ...rest } = request;
    rest satisfies Record<string, never>;
    assertStorable(request, '');
    assertEachOnce(topics);
    const place = { workspaceId: context.workspaceId, userId: user_id, tenantId: tenant_id };
    return this.calls.once(context, async (tx) => {
      await lockChoices(tx, place);
      const { kept, refused } = await this.judge(tx, place, topics);
      await storeChoices(tx, place, kept);
      return { items: kept, errors: refused };
    });
  }

  /** @param onlyTopicId the one topic of `topics`: of the others nothing is read. */
  private async countingFor(place: ChoiceContext, topics: readonly LoadedTopic[], onlyTopicId?: string): Promise<TopicPreference[]> {
    if (topics.length === 0) return [];
    const { workspaceId, userId, tenantId } = place;
    const topicIds = topics.map(({ topic_id }) => topic_id);
    const [[said], defaults] = await Promise.all([
      preferencesOfMany(this.db, [{ workspaceId, userId, topicId: onlyTopicId ?? null }]),
      tenantDefaults(this.db, workspaceId, tenantId, topicIds),
    ]);
    const { choices, map } = said!;
    const choicesOf = byTopic(choices);
    const defaultsOf = byTopic(defaults);
    return topics.map((topic) =>
      toTopicPreference(topic, place, {
        choices: choicesOf.get(topic.topic_id) ?? [],
        map,
        tenantDefaults: defaultsOf.get(topic.topic_id) ?? [],
      }),
    );
  }

  private async judge(
    tx: Queryable,
    place: ChoiceContext,
    asked: readonly BulkTopic[],
  ): Promise<{ kept: (TopicAndChoice & ChosenTopic)[]; refused: RefusedTopic[] }> {
    const topicIds = asked.map(({ topic_id }) => topic_id);
    const known = new Map((await knownTopics(tx, place, topicIds)).map((topic) => [topic.topic_id, topic]));
    const kept: (TopicAndChoice & ChosenTopic)[] = [];
    const refused: RefusedTopic[] = [];
    for (const { topic_id, status, ...channels } of asked) {
      const topic = known.get(topic_id);
      const judged = topic
        ? judgeChoice(topic_id, topic.required, { status, ...channels })
        : { reason: `Topic ${topic_id} does not exist` };
      if ('reason' in judged) refused.push({ topic_id, reason: judged.reason });
      else kept.push({ topic_id, ...judged, status });
    }
    return { kept, refused };
  }
}

/** Of the topics named those that exist, and whether nobody can opt out of them there. */
async function knownTopics(
  from: Queryable,
  place: ChoiceContext,
  topicIds: readonly string[],
): Promise<{ topic_id: string; required: boolean }[]> {
  if (topicIds.length === 0) return [];
  const topics = await topicsById(
    from,
    topicIds.map((topicId) => ({ workspaceId: place.workspaceId, topicId })),
  );
  const defaultsOf = byTopic<TenantDefault>(await tenantDefaults(from, place.workspaceId, place.tenantId, topicIds));
  return topics.map((topic) => ({ topic_id: topic.topic_id, required: isRequired(topic, place, defaultsOf.get(topic.topic_id) ?? []) }));
}

function askedChoice({
  status,
  digest_schedule_id,
  ...channels
}: Partial<TopicChoice> | Omit<PutUserPreference, keyof NamedUserPreference>) {
  assertNoDigest(digest_schedule_id);
  if (!status) throw new ServiceError('invalid_request', `topic.status must be one of ${PREFERENCE_STATUSES.join(', ')}`);
  return { status, custom_routing: channels.custom_routing, has_custom_routing: channels.has_custom_routing };
}

function assertNoDigest(scheduleId: string | null | undefined): void {
  if (scheduleId) throw new ServiceError('not_served', 'Digests are not served: leave out digest_schedule_id', { shouldRetry: false });
}

function assertEachOnce(topics: readonly BulkTopic[]): void {
  for (const { digest_schedule_id } of topics) assertNoDigest(digest_schedule_id);
  const places = new Map<string, number>();
  for (const [index, { topic_id }] of topics.entries()) {
    const first = places.get(topic_id);
    if (first !== undefined) {
      throw new ServiceError(
        'invalid_request',
        `topics[${index}].topic_id names ${topic_id}, as topics[${first}] does: name each topic once`,
      );
    }
    places.set(topic_id, index);
  }
}

function byTopic<Said extends { topic_id: string }>(said: readonly Said[]): Map<string, Said[]> {
  const groups = new Map<string, Said[]>();
  for (const one of said) {
    const group = groups.get(one.topic_id);
    if (group) group.push(one);
    else groups.set(one.topic_id, [one]);
  }
  return groups;
}

function noTopic(topicId: string): ServiceError {
  return new ServiceError('not_found', `Topic ${topicId} does not exist`);
}
