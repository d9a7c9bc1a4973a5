import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { RecipientPreferences } from '@tidings/contracts/core/preferences';
import type { Subscription } from '@tidings/contracts/audience/subscriptions';

/** A user of a subscriber set. Only the set that a list refers to (`ListEntity.setId`) has the list's subscribers. */
@Entity('subscriptions')
export class SubscriptionEntity {
  @PrimaryColumn('uuid', { name: 'workspace_id' })
  workspaceId!: string;

  @PrimaryColumn('bigint', { name: 'set_id' })
  setId!: string;

  @PrimaryColumn('text', { name: 'user_id', collation: 'C' })
  userId!: string;

  @Column({ type: 'text', name: 'list_id', collation: 'C' })
  listId!: string;

  @Column('jsonb', { nullable: true })
  preferences!: RecipientPreferences | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}

export function toSubscription({ userId, preferences, createdAt }: SubscriptionEntity): Subscription {
  return { recipientId: userId, created: createdAt.toISOString(), ...(preferences !== null && { preferences }) };
}
