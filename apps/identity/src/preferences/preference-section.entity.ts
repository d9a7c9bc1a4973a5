import { DatedRow, Nullable, TextArray, TextKey } from '@tidings/persistence/rows';
import { Column, Entity } from 'typeorm';
import type { ChannelClass } from '@tidings/contracts/core/channels';
import type { PreferenceSection } from '@tidings/contracts/identity/preference-sections';
import { type PreferenceTopicEntity, toTopic } from './preference-topic.entity';

@Entity('preference_sections')
export class PreferenceSectionEntity extends DatedRow {
  @TextKey({ name: 'section_id' })
  id: string;

  @Column('text')
  name: string;

  @Nullable('text')
  description: string | null;

  @Column('boolean')
  hasCustomRouting: boolean;

  @TextArray()
  routingOptions: ChannelClass[];

  /** `bytesOf` the fields. */
  @Column('integer')
  bytes: number;
}

export function toSection(row: PreferenceSectionEntity, topics: readonly PreferenceTopicEntity[]): PreferenceSection {
  return {
    id: row.id,
    name: row.name,
    description: row.description ?? undefined,
    has_custom_routing: row.hasCustomRouting,
    routing_options: row.routingOptions,
    topics: topics.map(toTopic),
    created: row.createdAt.toISOString(),
    updated: row.updatedAt.toISOString(),
  };
}
