import type { RecipientPreferences } from '@tidings/contracts/core/preferences';
import type { LoadedTopic, StoredChoice } from '@tidings/contracts/identity/recipients';
import { TOPICS_PER_WORKSPACE_MAX } from '@tidings/contracts/identity/preference-topics';
import { PREFERENCES_PER_USER_MAX } from '@tidings/contracts/identity/user-preferences';
import { columnsOf } from '@tidings/persistence/columns-of';
import { type Queryable, statement } from '@tidings/persistence/database';

/** A user whose preferences to load: for one topic, or for all (bounded by `PREFERENCES_PER_USER_MAX`). */
interface PreferencesKey {
  workspaceId: string;
  userId: string;
  /** `null` for all topics. */
  topicId: string | null;
}

/** Stored preferences of one user, of the topics that a `PreferencesKey` names. */
export interface PreferencesOfUser {
  choices: StoredChoice[];
  /** The older map form; `null` where none is stored. */
  map: RecipientPreferences | null;
}

// SQL because sends read many users and topics at once.
/** The columns of `PreferencesOfUser` for each row of `input`. The subqueries make the plan one primary key lookup for each. */
export const PREFERENCES_OF_INPUT = `
  coalesce((
    select jsonb_agg(jsonb_build_object(
             'topic_id', chosen.topic_id, 'tenant_id', nullif(chosen.tenant_id, ''), 'status', chosen.status,
             'has_custom_routing', chosen.has_custom_routing, 'custom_routing', chosen.custom_routing))
      from (select topic_id, tenant_id, status, has_custom_routing, custom_routing from user_preferences
             where workspace_id = input.workspace_id and user_id = input.user_id
               and (input.topic_id is null or topic_id = input.topic_id)
             limit ${PREFERENCES_PER_USER_MAX}) chosen), '[]') as choices,
  (select stored.preferences from recipient_preferences stored
    where stored.workspace_id = input.workspace_id and stored.user_id = input.user_id) as map`;

/** A row for each key, in input order. */
const PREFERENCES = statement(
  'preferences-of-many',
  `select ${PREFERENCES_OF_INPUT}
     from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as input (workspace_id, user_id, topic_id, ordinal)
    order by ordinal`,
);

/** Of a topic aliased `topic`; its section exists as long as the topic does. */
const DECIDING_COLUMNS = `
  topic.workspace_id, topic.topic_id, topic.name, topic.default_status, topic.include_unsubscribe_header, topic.section_id,
  (select section.name from preference_sections section
    where section.workspace_id = topic.workspace_id and section.section_id = topic.section_id) as section_name`;

/** The limits drop nothing; they make the plan one index lookup for each input row, whatever the planner's statistics. */
const TOPICS_OF_WORKSPACES = statement(
  'preference-topics-of-many',
  `select ${DECIDING_COLUMNS}
     from unnest($1::uuid[]) with ordinality as input (workspace_id, ordinal)
    cross join lateral (
      select workspace_id, topic_id, name, default_status, include_unsubscribe_header, section_id, created_at
        from preference_topics where workspace_id = input.workspace_id order by created_at, topic_id limit $2
    ) topic
    order by input.ordinal, topic.created_at, topic.topic_id`,
);

const TOPICS_BY_ID = statement(
  'preference-topics-by-id',
  `select ${DECIDING_COLUMNS}
     from unnest($1::uuid[], $2::text[]) as input (workspace_id, topic_id)
    cross join lateral (
      select workspace_id, topic_id, name, default_status, include_unsubscribe_header, section_id, created_at
        from preference_topics where workspace_id = input.workspace_id and topic_id = input.topic_id limit 1
    ) topic`,
);

/** The preferences of many users, everywhere and in all tenants, in one statement; in the order of `keys`. */
export function preferencesOfMany(from: Queryable, keys: readonly PreferencesKey[]) {
  return from.query<PreferencesOfUser>(PREFERENCES, columnsOf(keys, 'workspaceId', 'userId', 'topicId'));
}

/** All topics of the workspaces in one statement, in the order of `workspaceIds`, then oldest first. Name each workspace once. */
export function topicsOfWorkspaces(from: Queryable, workspaceIds: readonly string[]) {
  return from.query<LoadedTopic>(TOPICS_OF_WORKSPACES, [workspaceIds, TOPICS_PER_WORKSPACE_MAX]);
}

/** The existing topics among `keys`, in one statement and in no order. Name each once. */
export function topicsById(from: Queryable, keys: readonly { workspaceId: string; topicId: string }[]) {
  return from.query<LoadedTopic>(TOPICS_BY_ID, columnsOf(keys, 'workspaceId', 'topicId'));
}
