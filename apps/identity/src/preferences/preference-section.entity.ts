import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ChannelClass } from '@tidings/contracts/core/channels';
import type { PreferenceSection } from '@tidings/contracts/identity/preference-sections';
import { type PreferenceTopicEntity, toTopic } from './preference-topic.entity';

@Entity('preference_sections')
export class PreferenceSectionEntity {
  @PrimaryColumn('uuid', { name: 'workspace_id' })
  workspaceId!: string;

  @PrimaryColumn('text', { name: 'section_id', collation: 'C' })
  id!: string;

  @Column('text')
  name!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('boolean', { name: 'has_custom_routing' })
  hasCustomRouting!: boolean;

  @Column('text', { name: 'routing_options', array: true })
  routingOptions!: ChannelClass[];

  /** `bytesOf` the fields. */
  @Column('integer')
  bytes!: number;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;
}

export function toSection(row: PreferenceSectionEntity, topics: readonly PreferenceTopicEntity[]): PreferenceSection {
  return {
    id: row.id,
    name: row.name,
    ...(row.description !== null && { description: row.description }),
    has_custom_routing: row.hasCustomRouting,
    routing_options: row.routingOptions,
    topics: topics.map(toTopic),
    created: row.createdAt.toISOString(),
    updated: row.updatedAt.toISOString(),
  };
}
