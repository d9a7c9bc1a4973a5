import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The translations into a language. */
@Entity('translations')
export class TranslationEntity {
  @PrimaryColumn('uuid', { name: 'workspace_id' })
  workspaceId!: string;

  @PrimaryColumn('text', { collation: 'C' })
  locale!: string;

  @Column('text')
  po!: string;

  /** What `po` takes as a JSON string. */
  @Column('integer')
  bytes!: number;

  /** Never used twice, so that caches distinguish the texts of one locale. */
  @Column('bigint', { default: () => "nextval('content_revisions')" })
  revision!: string;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3, default: () => 'now()' })
  updatedAt!: Date;
}
