import type { Webhook, WebhookEventType, WebhookState } from '@tidings/contracts/messaging/webhooks';
import { newId } from '@tidings/persistence/new-id';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A webhook of a workspace. What its calls change is in `webhook_queues`. */
@Entity('webhooks')
export class WebhookEntity {
  @PrimaryColumn('uuid', { name: 'workspace_id' })
  workspaceId!: string;

  @PrimaryColumn('text', { name: 'webhook_id', collation: 'C' })
  id!: string;

  @Column('text')
  url!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('text', { name: 'event_types', array: true })
  eventTypes!: WebhookEventType[];

  @Column({ type: 'text', collation: 'C', default: 'active' })
  state!: WebhookState;

  /** Why it is disabled. */
  @Column('text', { name: 'state_reason', nullable: true })
  stateReason!: string | null;

  /** JSON of its `WebhookSecret`s, sealed with the key that `keyId` names; in the clear where that is `null`. */
  @Column('bytea')
  secrets!: Buffer;

  @Column({ type: 'text', name: 'key_id', collation: 'C', nullable: true })
  keyId!: string | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3, nullable: true })
  updatedAt!: Date | null;
}

/** What identifies a webhook. */
export type WebhookKey = Pick<WebhookEntity, 'workspaceId' | 'id'>;

export const newWebhookId = (): string => newId('whk');

/** Secrets are not part of it. */
export function toWebhook({ id, url, description, eventTypes, state, stateReason, createdAt, updatedAt }: WebhookEntity): Webhook {
  return {
    id,
    url,
    description: description ?? undefined,
    event_types: eventTypes,
    state,
    state_reason: stateReason ?? undefined,
    created: createdAt.getTime(),
    updated: updatedAt?.getTime(),
  };
}
