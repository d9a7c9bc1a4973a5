import type { ChannelClass } from '@tidings/contracts/core/channels';
import type { PreferenceStatus } from '@tidings/contracts/core/preferences';
import type { PreferenceSection } from '@tidings/contracts/identity/preference-sections';
import type { AllowedPreference, PreferenceTopic } from '@tidings/contracts/identity/preference-topics';
import { statement } from '@tidings/persistence/database';

export interface SectionRow {
  section_id: string;
  name: string;
  description: string | null;
  has_custom_routing: boolean;
  routing_options: ChannelClass[];
  created_at: Date;
  updated_at: Date;
}

export interface TopicRow {
  topic_id: string;
  section_id: string;
  name: string;
  default_status: PreferenceStatus;
  allowed_preferences: AllowedPreference[];
  description: string | null;
  include_unsubscribe_header: boolean;
  routing_options: ChannelClass[];
  topic_data: Record<string, unknown>;
  created_at: Date;
  updated_at: Date;
}

export const SECTION_COLUMNS = 'section_id, name, description, has_custom_routing, routing_options, created_at, updated_at';
export const TOPIC_COLUMNS =
  'topic_id, section_id, name, default_status, allowed_preferences, description, include_unsubscribe_header, routing_options, topic_data, created_at, updated_at';

export const SELECT_SECTION = statement(
  'preference-sections-retrieve',
  `select ${SECTION_COLUMNS} from preference_sections where workspace_id = $1 and section_id = $2`,
);

/** At most `TOPICS_PER_SECTION_MAX` rows: creation refuses more. */
export const SELECT_TOPICS = statement(
  'preference-topics-of-section',
  `select ${TOPIC_COLUMNS} from preference_topics where workspace_id = $1 and section_id = $2 order by created_at, topic_id`,
);

export function toSection(row: SectionRow, topics: readonly TopicRow[]): PreferenceSection {
  const { section_id, name, description, has_custom_routing, routing_options, created_at, updated_at } = row;
  return {
    id: section_id,
    name,
    ...(description !== null && { description }),
    has_custom_routing,
    routing_options,
    topics: topics.map(toTopic),
    created: created_at.toISOString(),
    updated: updated_at.toISOString(),
  };
}

export function toTopic(row: TopicRow): PreferenceTopic {
  const { topic_id, name, default_status, description, created_at, updated_at } = row;
  return {
    id: topic_id,
    name,
    default_status,
    allowed_preferences: row.allowed_preferences,
    ...(description !== null && { description }),
    include_unsubscribe_header: row.include_unsubscribe_header,
    routing_options: row.routing_options,
    topic_data: row.topic_data,
    created: created_at.toISOString(),
    updated: updated_at.toISOString(),
  };
}
