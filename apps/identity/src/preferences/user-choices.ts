import { invalid } from '@tidings/contracts/core/refusals';
import { PREFERENCES_PER_USER_MAX } from '@tidings/contracts/identity/user-preferences';
import { advisoryLock } from '@tidings/persistence/advisory';
import { statement, transactionOf } from '@tidings/persistence/database';
import type { EntityManager } from 'typeorm';
import type { ValidChoice } from './choice-rules';
import { UserPreferenceEntity } from './user-preference.entity';

/** A user, and the tenant in which the choices count. */
export interface ChoiceContext {
  workspaceId: string;
  userId: string;
  /** Absent for choices that count everywhere. */
  tenantId: string | undefined;
}

export interface TopicAndChoice extends ValidChoice {
  topic_id: string;
}

const acquireLock = advisoryLock('user-preferences', 'identity');
/** SQL, because it returns what it removes. */
const REMOVE_OTHERS = statement(
  'user-preferences-remove-others',
  `delete from user_preferences where workspace_id = $1 and user_id = $2 and tenant_id = $3 and topic_id <> all($4::text[])
   returning topic_id`,
);
/** SQL, because it compares two tables. Removes choices for deleted topics, which no longer count. */
const SWEEP = statement(
  'user-preferences-sweep',
  `delete from user_preferences chosen where chosen.workspace_id = $1 and chosen.user_id = $2 and not exists (
     select from preference_topics topic where topic.workspace_id = $1 and topic.topic_id = chosen.topic_id)`,
);

/** Locks a user's choices until the transaction ends: a replacement of all never sees half of another change. */
export async function lockChoices(tx: EntityManager, { workspaceId, userId }: ChoiceContext) {
  await acquireLock(transactionOf(tx), `${workspaceId}:${userId}`);
}

/**
 * Under `lockChoices`. Name each topic once.
 * @throws ServiceError `invalid_request` when the user would have more than `PREFERENCES_PER_USER_MAX` choices.
 */
export async function storeChoices(tx: EntityManager, context: ChoiceContext, chosen: readonly TopicAndChoice[]) {
  if (chosen.length === 0) return;
  const rows = chosen.map(({ topic_id, status, has_custom_routing, custom_routing }) => ({
    ...keyOf(context),
    topicId: topic_id,
    status,
    hasCustomRouting: has_custom_routing,
    customRouting: custom_routing,
    updatedAt: () => 'now()',
  }));
  await tx.upsert(UserPreferenceEntity, rows, ['workspaceId', 'userId', 'tenantId', 'topicId']);
  if (await fits(tx, context)) return;
  await transactionOf(tx).execute(SWEEP, [context.workspaceId, context.userId]);
  if (await fits(tx, context)) return;
  throw invalid(`User ${context.userId} would have more than ${PREFERENCES_PER_USER_MAX} preferences: delete some first`);
}

export async function removeChoice(tx: EntityManager, context: ChoiceContext, topicId: string) {
  await tx.delete(UserPreferenceEntity, { ...keyOf(context), topicId });
}

/** Under `lockChoices`. Deletes the choices for topics outside `retained`, and returns the ids of these topics, sorted. */
export async function removeOtherChoices(tx: EntityManager, context: ChoiceContext, retained: readonly string[]): Promise<string[]> {
  const { workspaceId, userId, tenantId } = keyOf(context);
  const rows = await transactionOf(tx).query<{ topic_id: string }>(REMOVE_OTHERS, [workspaceId, userId, tenantId, retained]);
  return rows.map(({ topic_id }) => topic_id).sort();
}

async function fits(tx: EntityManager, { workspaceId, userId }: ChoiceContext) {
  return (await tx.countBy(UserPreferenceEntity, { workspaceId, userId })) <= PREFERENCES_PER_USER_MAX;
}

const keyOf = ({ workspaceId, userId, tenantId }: ChoiceContext) => ({ workspaceId, userId, tenantId: tenantId ?? '' });
