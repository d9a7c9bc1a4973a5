import type { ChangeSource } from '@tidings/contracts/identity/preference-logs';
import { messageIdToUuid } from '@tidings/contracts/messaging/message-id';
import { statement, transactionOf } from '@tidings/persistence/database';
import type { EntityManager } from 'typeorm';
import type { ChoiceContext, TopicAndChoice } from './topic-preference';

/** Who changes choices. */
export interface ChangeOrigin {
  readonly source: ChangeSource;
  /** The message with the link. */
  readonly messageId?: string;
}

/** A client with an API key or a token. */
export const BY_CLIENT: ChangeOrigin = { source: 'api' };

// SQL because it inserts what differs from the stored rows, with the names of topics.
const insertOf = (row: 'chosen' | 'old') =>
  `insert into preference_changes (workspace_id, change_id, at, user_id, tenant_id, topic_id, topic_name, source, message_id,
                                   status, has_custom_routing, custom_routing, previous)
   select $1::uuid, gen_random_uuid(), clock_timestamp(), $2::text, ${row}.tenant_id, topic.topic_id, topic.name, $3::text, $4::uuid`;
const PREVIOUS = `jsonb_build_object('status', coalesce(old.status, 'REQUIRED'), 'has_custom_routing', old.has_custom_routing,
                                     'custom_routing', to_jsonb(old.custom_routing))`;
const RECORD_CHOSEN = statement(
  'preference-changes-record-chosen',
  `${insertOf('chosen')}, coalesce(chosen.status, 'REQUIRED'), chosen.has_custom_routing, chosen.custom_routing,
          case when old.topic_id is not null then ${PREVIOUS} end
     from jsonb_to_recordset($5::jsonb)
       as chosen (tenant_id text, topic_id text, status text, has_custom_routing boolean, custom_routing text[])
     join preference_topics topic on topic.workspace_id = $1 and topic.topic_id = chosen.topic_id
     left join user_preferences old
       on old.workspace_id = $1 and old.user_id = $2 and old.tenant_id = chosen.tenant_id and old.topic_id = chosen.topic_id
    where old.topic_id is null or old.status is distinct from chosen.status
       or old.has_custom_routing <> chosen.has_custom_routing or old.custom_routing <> chosen.custom_routing`,
);
const RECORD_REMOVED = statement(
  'preference-changes-record-removed',
  `${insertOf('old')}, topic.default_status, false, '{}', ${PREVIOUS}
     from user_preferences old
     join preference_topics topic on topic.workspace_id = $1 and topic.topic_id = old.topic_id
    where old.workspace_id = $1 and old.user_id = $2 and old.tenant_id = $5
      and ($6::text[] is null or old.topic_id = any($6)) and old.topic_id <> all($7::text[])`,
);

/** A choice with the tenant in which it counts; empty: it counts in every context. */
export type ChoiceInTenant = TopicAndChoice & { readonly tenant_id: string };

/** Records choices of a user that are stored next, under `lockChoices`; those that are stored already leave nothing. */
export async function recordChosen(tx: EntityManager, user: ChoiceContext, chosen: readonly ChoiceInTenant[], origin: ChangeOrigin) {
  await transactionOf(tx).execute(RECORD_CHOSEN, [...valuesOf(user, origin), JSON.stringify(chosen)]);
}

/** Records that choices are deleted next, under `lockChoices`. @param removed ids of topics; `null`: all but `retained`. */
export async function recordRemoved(
  tx: EntityManager,
  context: ChoiceContext,
  { removed = null, retained = [] }: { removed?: readonly string[] | null; retained?: readonly string[] },
  origin: ChangeOrigin,
) {
  await transactionOf(tx).execute(RECORD_REMOVED, [...valuesOf(context, origin), context.tenantId ?? '', removed, retained]);
}

function valuesOf({ workspaceId, userId }: ChoiceContext, { source, messageId = '' }: ChangeOrigin) {
  return [workspaceId, userId, source, messageIdToUuid(messageId) ?? null];
}
