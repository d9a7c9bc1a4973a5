import type { RecipientPreferences } from '@tidings/contracts/core/preferences';
import type { LoadedTopic, StoredChoice } from '@tidings/contracts/identity/recipients';
import { TOPICS_PER_WORKSPACE_MAX } from '@tidings/contracts/identity/preference-topics';
import { PREFERENCES_PER_USER_MAX } from '@tidings/contracts/identity/user-preferences';
import { type Queryable, statement } from '@tidings/persistence/database';

/** A user whose preferences are wanted: of one topic, or of all (bounded by `PREFERENCES_PER_USER_MAX`). */
interface PreferencesKey {
  workspaceId: string;
  userId: string;
  /** `null` for all topics. */
  topicId: string | null;
}

export interface PreferencesOfUser {
  choices: StoredChoice[];
  /** The older form; `null` where nothing was said in it. */
  map: RecipientPreferences | null;
}

/** A row for each key, in the order asked. The subqueries make the plan one look into a primary key for each. */
const PREFERENCES = statement(
  'preferences-of-many',
  `select coalesce((
            select jsonb_agg(jsonb_build_object(
                     'topic_id', chosen.topic_id, 'tenant_id', nullif(chosen.tenant_id, ''), 'status', chosen.status,
                     'has_custom_routing', chosen.has_custom_routing, 'custom_routing', chosen.custom_routing))
              from (select topic_id, tenant_id, status, has_custom_routing, custom_routing from user_preferences
                     where workspace_id = asked.workspace_id and user_id = asked.user_id
                       and (asked.topic_id is null or topic_id = asked.topic_id)
                     limit $4) chosen), '[]') as choices,
          (select said.preferences from recipient_preferences said
            where said.workspace_id = asked.workspace_id and said.user_id = asked.user_id) as map
     from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as asked (workspace_id, user_id, topic_id, place)
    order by place`,
);

/** Of a topic named `topic`; its section is there as long as it is. */
const DECIDING_COLUMNS = `
  topic.workspace_id, topic.topic_id, topic.name, topic.default_status, topic.include_unsubscribe_header, topic.section_id,
  (select section.name from preference_sections section
    where section.workspace_id = topic.workspace_id and section.section_id = topic.section_id) as section_name`;

/** The limits drop nothing; with them the plan is one look into an index for each that is asked, whatever the planner knows. */
const TOPICS_OF_WORKSPACES = statement(
  'preference-topics-of-many',
  `select ${DECIDING_COLUMNS}
     from unnest($1::uuid[]) with ordinality as asked (workspace_id, place)
    cross join lateral (
      select workspace_id, topic_id, name, default_status, include_unsubscribe_header, section_id, created_at
        from preference_topics where workspace_id = asked.workspace_id order by created_at, topic_id limit $2
    ) topic
    order by asked.place, topic.created_at, topic.topic_id`,
);

const TOPICS_BY_ID = statement(
  'preference-topics-by-id',
  `select ${DECIDING_COLUMNS}
     from unnest($1::uuid[], $2::text[]) as asked (workspace_id, topic_id)
    cross join lateral (
      select workspace_id, topic_id, name, default_status, include_unsubscribe_header, section_id, created_at
        from preference_topics where workspace_id = asked.workspace_id and topic_id = asked.topic_id limit 1
    ) topic`,
);

/** What each of many users chose, everywhere and in all tenants, in one statement; in the order asked. */
export function preferencesOfMany(from: Queryable, keys: readonly PreferencesKey[]): Promise<PreferencesOfUser[]> {
  return from.query<PreferencesOfUser>(PREFERENCES, [
    keys.map(({ workspaceId }) => workspaceId),
    keys.map(({ userId }) => userId),
    keys.map(({ topicId }) => topicId),
    PREFERENCES_PER_USER_MAX,
  ]);
}

/** All topics of the workspaces in one statement, in the order asked, each workspace's oldest first. Name each workspace once. */
export function topicsOfWorkspaces(from: Queryable, workspaceIds: readonly string[]): Promise<LoadedTopic[]> {
  return from.query<LoadedTopic>(TOPICS_OF_WORKSPACES, [workspaceIds, TOPICS_PER_WORKSPACE_MAX]);
}

/** The topics that exist of those named, in one statement and in no order. Name each once. */
export function topicsById(from: Queryable, keys: readonly { workspaceId: string; topicId: string }[]): Promise<LoadedTopic[]> {
  return from.query<LoadedTopic>(TOPICS_BY_ID, [keys.map(({ workspaceId }) => workspaceId), keys.map(({ topicId }) => topicId)]);
}
