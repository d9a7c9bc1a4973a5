import { ServiceError } from '@tidings/contracts/core/errors';
import { PREFERENCES_PER_USER_MAX } from '@tidings/contracts/identity/user-preferences';
import { advisoryLock } from '@tidings/persistence/advisory';
import { statement, type Transaction } from '@tidings/persistence/database';
import type { ValidChoice } from './choice-rules';

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
/** Channels travel as text, `email,push`, since arrays of arrays must be rectangular; no channel's name has a comma. */
const UPSERT = statement(
  'user-preferences-upsert',
  `insert into user_preferences (workspace_id, user_id, tenant_id, topic_id, status, has_custom_routing, custom_routing)
   select $1, $2, $3, chosen.topic_id, chosen.status, chosen.has_custom_routing, string_to_array(chosen.custom_routing, ',')
     from unnest($4::text[], $5::text[], $6::boolean[], $7::text[]) as chosen (topic_id, status, has_custom_routing, custom_routing)
   on conflict (workspace_id, user_id, tenant_id, topic_id) do update set
     status = excluded.status, has_custom_routing = excluded.has_custom_routing, custom_routing = excluded.custom_routing,
     updated_at = now()`,
);
const REMOVE = statement(
  'user-preferences-remove',
  'delete from user_preferences where workspace_id = $1 and user_id = $2 and tenant_id = $3 and topic_id = $4',
);
const REMOVE_OTHERS = statement(
  'user-preferences-remove-others',
  `delete from user_preferences where workspace_id = $1 and user_id = $2 and tenant_id = $3 and topic_id <> all($4::text[])
   returning topic_id`,
);
/** Reads at most one row above the bound. */
const CHOSEN = statement(
  'user-preferences-chosen',
  'select topic_id from user_preferences where workspace_id = $1 and user_id = $2 limit $3',
);
/** Choices for deleted topics, which no longer count. */
const SWEEP = statement(
  'user-preferences-sweep',
  `delete from user_preferences chosen where chosen.workspace_id = $1 and chosen.user_id = $2 and not exists (
     select from preference_topics topic where topic.workspace_id = $1 and topic.topic_id = chosen.topic_id)`,
);

/** Locks a user's choices until the transaction ends: a replacement of all never sees half of another change. */
export async function lockChoices(tx: Transaction, { workspaceId, userId }: ChoiceContext): Promise<void> {
  await acquireLock(tx, `${workspaceId}:${userId}`);
}

/**
 * Under `lockChoices`. Name each topic once.
 * @throws ServiceError `invalid_request` when the user would have more than `PREFERENCES_PER_USER_MAX` choices.
 */
export async function storeChoices(tx: Transaction, context: ChoiceContext, chosen: readonly TopicAndChoice[]): Promise<void> {
  if (chosen.length === 0) return;
  await tx.execute(UPSERT, [
    ...keyOf(context),
    chosen.map(({ topic_id }) => topic_id),
    chosen.map(({ status }) => status),
    chosen.map(({ has_custom_routing }) => has_custom_routing),
    chosen.map(({ custom_routing }) => custom_routing.join(',')),
  ]);
  if (await fits(tx, context)) return;
  await tx.execute(SWEEP, [context.workspaceId, context.userId]);
  if (await fits(tx, context)) return;
  throw new ServiceError(
    'invalid_request',
    `User ${context.userId} would have more than ${PREFERENCES_PER_USER_MAX} preferences: delete some first`,
  );
}

export async function removeChoice(tx: Transaction, context: ChoiceContext, topicId: string): Promise<void> {
  await tx.execute(REMOVE, [...keyOf(context), topicId]);
}

/** Under `lockChoices`. Deletes the choices for topics outside `retained`, and returns the ids of these topics, sorted. */
export async function removeOtherChoices(tx: Transaction, context: ChoiceContext, retained: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ topic_id: string }>(REMOVE_OTHERS, [...keyOf(context), retained]);
  return rows.map(({ topic_id }) => topic_id).sort();
}

async function fits(tx: Transaction, { workspaceId, userId }: ChoiceContext): Promise<boolean> {
  return (await tx.query(CHOSEN, [workspaceId, userId, PREFERENCES_PER_USER_MAX + 1])).length <= PREFERENCES_PER_USER_MAX;
}

const keyOf = ({ workspaceId, userId, tenantId }: ChoiceContext): string[] => [workspaceId, userId, tenantId ?? ''];
