import { Nullable, TextArray, TextKey, Timestamp, WorkspaceRow } from '@tidings/persistence/rows';
import { Column, Entity } from 'typeorm';
import type { ChannelClass } from '@tidings/contracts/core/channels';
import type { Choice } from '@tidings/contracts/identity/user-preferences';

/** A user's choice for a topic. It outlives the user's profile and the topic. */
@Entity('user_preferences')
export class UserPreferenceEntity extends WorkspaceRow {
  @TextKey()
  userId: string;

  /** Empty for a choice that counts everywhere. */
  @TextKey()
  tenantId: string;

  @TextKey()
  topicId: string;

  /** `null` where only channels were chosen, for a required topic. */
  @Nullable('text')
  status: Choice | null;

  @Column('boolean')
  hasCustomRouting: boolean;

  @TextArray()
  customRouting: ChannelClass[];

  @Timestamp()
  updatedAt: Date;
}
