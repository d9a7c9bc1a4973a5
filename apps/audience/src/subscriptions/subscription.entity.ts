import { Nullable, TextKey, Timestamp, WorkspaceRow } from '@tidings/persistence/rows';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { RecipientPreferences } from '@tidings/contracts/core/preferences';
import type { Subscription } from '@tidings/contracts/audience/subscriptions';

/** A user of a subscriber set. Only the set that a list refers to (`ListEntity.setId`) has the list's subscribers. */
@Entity('subscriptions')
export class SubscriptionEntity extends WorkspaceRow {
  @PrimaryColumn('bigint')
  setId!: string;

  @TextKey()
  userId!: string;

  @Column({ type: 'text', collation: 'C' })
  listId!: string;

  @Nullable('jsonb')
  preferences!: RecipientPreferences | null;

  @Timestamp()
  createdAt!: Date;
}

export function toSubscription({ userId, preferences, createdAt }: SubscriptionEntity): Subscription {
  return { recipientId: userId, created: createdAt.toISOString(), preferences: preferences ?? undefined };
}
