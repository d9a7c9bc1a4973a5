import { CHANNEL_CLASSES, type ChannelClass } from '@tidings/contracts/core/channels';
import { invalid } from '@tidings/contracts/core/refusals';
import { PREFERENCES_PER_USER_MAX, type RefusedTopic, type TopicChoice } from '@tidings/contracts/identity/user-preferences';
import { advisoryLock } from '@tidings/persistence/advisory';
import { statement, transactionOf } from '@tidings/persistence/database';
import type { EntityManager } from 'typeorm';
import { BY_CLIENT, type ChangeOrigin, type ChoiceInTenant, recordChosen, recordRemoved } from './preference-changes';
import type { ChoiceContext, TopicAndChoice } from './topic-preference';
import { UserPreferenceEntity } from './user-preference.entity';

// SQL because it returns what it removes, and compares two tables.
const REMOVE_OTHERS = statement(
  'user-preferences-remove-others',
  `with removed as (
     delete from user_preferences where workspace_id = $1 and user_id = $2 and tenant_id = $3 and topic_id <> all($4::text[])
     returning topic_id
   )
   select topic_id from removed
    where exists (select from preference_topics topic where topic.workspace_id = $1 and topic.topic_id = removed.topic_id)
    order by topic_id`,
);
// SQL because it compares two tables.
/** Removes choices for deleted topics, which no longer count. */
const SWEEP = statement(
  'user-preferences-sweep',
  `delete from user_preferences chosen where chosen.workspace_id = $1 and chosen.user_id = $2 and not exists (
     select from preference_topics topic where topic.workspace_id = $1 and topic.topic_id = chosen.topic_id)`,
);

/** The choice to store for a topic, or the reason of its refusal. `required`: a default forbids opting out. */
export function validateChoice(required: boolean, requested: TopicChoice & { topic_id: string }): TopicAndChoice | RefusedTopic {
  const { topic_id, status, has_custom_routing } = requested;
  const refused = (reason: string) => ({ topic_id, reason });
  if (required && status === 'OPTED_OUT') return refused(`Topic ${topic_id} is REQUIRED: users cannot opt out of it`);
  if (!required && status === 'REQUIRED') return refused(`Topic ${topic_id} is not REQUIRED: status must be OPTED_IN or OPTED_OUT`);
  const custom_routing = channelsOf(requested.custom_routing);
  if (has_custom_routing && custom_routing.length === 0) {
    return refused(
      `custom_routing for topic ${topic_id} must name at least one of ${CHANNEL_CLASSES.join(', ')} where has_custom_routing is true`,
    );
  }
  return {
    topic_id,
    status: status === 'REQUIRED' ? null : status,
    has_custom_routing: has_custom_routing ?? custom_routing.length > 0,
    custom_routing,
  };
}

/** The distinct channels; unknown names are ignored. */
export function channelsOf(names: readonly string[] | null | undefined) {
  return [...new Set(names)].filter((name): name is ChannelClass => (CHANNEL_CLASSES as readonly string[]).includes(name));
}

/** Locks the choices of a user of a workspace until the transaction ends: a replacement of all never sees half of another change. */
export const lockChoices = advisoryLock('user-preferences', 'identity');

/**
 * Under `lockChoices`. Name each topic once in a tenant, by default the one of the context. Changes are recorded in the log of preferences.
 * @throws ServiceError `invalid_request` when the user would have more than `PREFERENCES_PER_USER_MAX` choices. An opt-out by a link is
 * stored nevertheless: it must not be refused.
 */
export async function storeChoices(
  tx: EntityManager,
  context: ChoiceContext,
  chosen: readonly (TopicAndChoice & Partial<ChoiceInTenant>)[],
  origin: ChangeOrigin = BY_CLIENT,
) {
  if (chosen.length === 0) return;
  const { workspaceId, userId, tenantId } = keyOf(context);
  const choices = chosen.map((choice) => ({ tenant_id: tenantId, ...choice }));
  await recordChosen(tx, context, choices, origin);
  const rows = choices.map(({ tenant_id, topic_id, status, has_custom_routing, custom_routing }) => ({
    workspaceId,
    userId,
    tenantId: tenant_id,
    topicId: topic_id,
    status,
    hasCustomRouting: has_custom_routing,
    customRouting: custom_routing,
    updatedAt: () => 'now()',
  }));
  await tx.upsert(UserPreferenceEntity, rows, ['workspaceId', 'userId', 'tenantId', 'topicId']);
  if (origin.source === 'link' || (await fits(tx, context))) return;
  await transactionOf(tx).execute(SWEEP, [context.workspaceId, context.userId]);
  if (await fits(tx, context)) return;
  throw invalid(`User ${context.userId} would have more than ${PREFERENCES_PER_USER_MAX} preferences: delete some first`);
}

/** Under `lockChoices`. Deletes a client's choice for a topic; does nothing where there is none. */
export async function removeChoice(tx: EntityManager, context: ChoiceContext, topicId: string) {
  await recordRemoved(tx, context, { removed: [topicId] }, BY_CLIENT);
  await tx.delete(UserPreferenceEntity, { ...keyOf(context), topicId });
}

/** Under `lockChoices`. Deletes the choices for topics outside `retained`, and returns those of these topics that exist, sorted. */
export async function removeOtherChoices(tx: EntityManager, context: ChoiceContext, retained: readonly string[]) {
  await recordRemoved(tx, context, { retained }, BY_CLIENT);
  const { workspaceId, userId, tenantId } = keyOf(context);
  const rows = await transactionOf(tx).query<{ topic_id: string }>(REMOVE_OTHERS, [workspaceId, userId, tenantId, retained]);
  return rows.map(({ topic_id }) => topic_id);
}

async function fits(tx: EntityManager, { workspaceId, userId }: ChoiceContext) {
  return (await tx.countBy(UserPreferenceEntity, { workspaceId, userId })) <= PREFERENCES_PER_USER_MAX;
}

const keyOf = ({ workspaceId, userId, tenantId }: ChoiceContext) => ({ workspaceId, userId, tenantId: tenantId ?? '' });
