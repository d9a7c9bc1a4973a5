import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import type { MessageStatus } from '@tidings/contracts/messaging/message-states';
import type { WebhookDelivery, WebhookResult } from '@tidings/contracts/messaging/webhooks';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An event for one webhook: an entry of its log and, until it has ended, of its queue. `append_history` inserts it. */
@Entity('webhook_deliveries')
export class WebhookDeliveryEntity {
  @PrimaryColumn('uuid', { name: 'delivery_id' })
  id!: string;

  @Column('uuid', { name: 'workspace_id' })
  workspaceId!: string;

  @Column({ type: 'text', name: 'webhook_id', collation: 'C' })
  webhookId!: string;

  /** The message id in the store. */
  @Column('uuid', { name: 'message_id' })
  messageId!: string;

  /** Running number of the event within the message. */
  @Column('integer')
  number!: number;

  /** The status that the event reports. */
  @Column({ type: 'text', collation: 'C' })
  status!: MessageStatus;

  @Column({ type: 'text', collation: 'C', default: 'pending' })
  result!: WebhookResult;

  @Column('integer', { default: 0 })
  attempts!: number;

  @Column('integer', { nullable: true })
  code!: number | null;

  @Column('integer', { name: 'duration_ms', nullable: true })
  durationMs!: number | null;

  @Column('text', { nullable: true })
  error!: string | null;

  @Column('timestamptz', { name: 'due_at' })
  dueAt!: Date;

  /** Begin of its retry window. */
  @Column('timestamptz', { name: 'since_at', default: () => 'now()' })
  sinceAt!: Date;

  @Column('timestamptz', { name: 'attempted_at', nullable: true })
  attemptedAt!: Date | null;

  @Column('timestamptz', { name: 'ended_at', nullable: true })
  endedAt!: Date | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}

export function toWebhookDelivery(row: WebhookDeliveryEntity): WebhookDelivery {
  return {
    id: row.id,
    type: 'message:updated',
    message_id: uuidToMessageId(row.messageId),
    status: row.status,
    result: row.result,
    attempts: row.attempts,
    code: row.code ?? undefined,
    duration_ms: row.durationMs ?? undefined,
    error: row.error ?? undefined,
    created: row.createdAt.getTime(),
    attempted: row.attemptedAt?.getTime(),
    next_attempt: row.endedAt ? undefined : row.dueAt.getTime(),
  };
}
