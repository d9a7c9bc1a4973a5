import { WorkspaceRow } from '@tidings/persistence/rows';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ChannelClass } from '@tidings/contracts/core/preferences';
import type { Choice } from '@tidings/contracts/identity/user-preferences';

/** A user's choice for a topic. It outlives the user's profile and the topic. */
@Entity('user_preferences')
export class UserPreferenceEntity extends WorkspaceRow {
  @PrimaryColumn('text', { collation: 'C' })
  userId!: string;

  /** Empty for a choice that counts everywhere. */
  @PrimaryColumn('text', { collation: 'C' })
  tenantId!: string;

  @PrimaryColumn('text', { collation: 'C' })
  topicId!: string;

  /** `null` where only channels were chosen, for a required topic. */
  @Column('text', { nullable: true })
  status!: Choice | null;

  @Column('boolean')
  hasCustomRouting!: boolean;

  @Column('text', { array: true })
  customRouting!: ChannelClass[];

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}
