import { DatedRow, Nullable, TextArray, TextKey } from '@tidings/persistence/rows';
import { Column, Entity } from 'typeorm';
import type { ChannelClass } from '@tidings/contracts/core/channels';
import type { PreferenceStatus } from '@tidings/contracts/core/preferences';
import type { AllowedPreference, PreferenceTopic } from '@tidings/contracts/identity/preference-topics';

@Entity('preference_topics')
export class PreferenceTopicEntity extends DatedRow {
  @TextKey({ name: 'topic_id' })
  id: string;

  @Column({ type: 'text', collation: 'C' })
  sectionId: string;

  @Column('text')
  name: string;

  @Column('text')
  defaultStatus: PreferenceStatus;

  @TextArray()
  allowedPreferences: AllowedPreference[];

  @Nullable('text')
  description: string | null;

  @Column('boolean')
  includeUnsubscribeHeader: boolean;

  @TextArray()
  routingOptions: ChannelClass[];

  @Column('jsonb')
  topicData: object;

  /** `bytesOf` the fields. */
  @Column('integer')
  bytes: number;
}

/** The order of a section's topics, and of all topics of a workspace. */
export const OLDEST_FIRST = { createdAt: 'ASC', id: 'ASC' } as const;

export function toTopic(row: PreferenceTopicEntity): PreferenceTopic {
  return {
    id: row.id,
    name: row.name,
    default_status: row.defaultStatus,
    allowed_preferences: row.allowedPreferences,
    description: row.description ?? undefined,
    include_unsubscribe_header: row.includeUnsubscribeHeader,
    routing_options: row.routingOptions,
    topic_data: row.topicData as PreferenceTopic['topic_data'],
    created: row.createdAt.toISOString(),
    updated: row.updatedAt.toISOString(),
  };
}
