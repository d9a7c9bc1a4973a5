import type { SuppressionReason } from '@tidings/contracts/messaging/suppression-reasons';
import type { Suppression } from '@tidings/contracts/messaging/suppressions';
import { ERASED_ADDRESS_PREFIX, type SuppressionChannel } from '@tidings/contracts/messaging/suppression-address';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import { Nullable, TextKey, WorkspaceRow } from '@tidings/persistence/rows';
import { Column, Entity } from 'typeorm';

/** An address to which a workspace sends nothing on a channel. */
@Entity('suppressions')
export class SuppressionEntity extends WorkspaceRow {
  @TextKey()
  channel!: SuppressionChannel;

  /** As `suppressionAddress` spells it; after an erasure `ERASED_ADDRESS_PREFIX` and its keyed hash. */
  @TextKey()
  address!: string;

  @Column('text')
  reason!: SuppressionReason;

  @Column('text')
  source!: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  /** The id of the message in the store. */
  @Nullable('uuid')
  messageId!: string | null;
}

export function toSuppression({ channel, address, reason, source, createdAt, messageId }: SuppressionEntity): Suppression {
  const erased = address.startsWith(ERASED_ADDRESS_PREFIX);
  return {
    channel,
    address: erased ? undefined : address,
    erased: erased || undefined,
    reason,
    source,
    created: createdAt.toISOString(),
    message_id: messageId === null ? undefined : uuidToMessageId(messageId),
  };
}
