import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ChannelClass } from '@tidings/contracts/core/channels';
import type { Choice } from '@tidings/contracts/identity/user-preferences';

/** A user's choice for a topic. It outlives the user's profile and the topic. */
@Entity('user_preferences')
export class UserPreferenceEntity {
  @PrimaryColumn('uuid', { name: 'workspace_id' })
  workspaceId!: string;

  @PrimaryColumn('text', { name: 'user_id', collation: 'C' })
  userId!: string;

  /** Empty for a choice that counts everywhere. */
  @PrimaryColumn('text', { name: 'tenant_id', collation: 'C' })
  tenantId!: string;

  @PrimaryColumn('text', { name: 'topic_id', collation: 'C' })
  topicId!: string;

  /** `null` where only channels were chosen, for a required topic. */
  @Column('text', { nullable: true })
  status!: Choice | null;

  @Column('boolean', { name: 'has_custom_routing' })
  hasCustomRouting!: boolean;

  @Column('text', { name: 'custom_routing', array: true })
  customRouting!: ChannelClass[];

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;
}
