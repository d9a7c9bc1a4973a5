import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A provider that operators paused, in one workspace or, under the system's, in all. */
@Entity('provider_pauses')
export class ProviderPauseEntity {
  @PrimaryColumn('uuid', { name: 'workspace_id' })
  workspaceId!: string;

  /** Id of a configuration, `default`, or the key of a kind. */
  @PrimaryColumn('text', { collation: 'C' })
  name!: string;

  @Column({ type: 'timestamptz', name: 'paused_at', precision: 3, default: () => 'now()' })
  pausedAt!: Date;

  /** The operator's name. */
  @Column('text', { name: 'paused_by' })
  pausedBy!: string;
}
