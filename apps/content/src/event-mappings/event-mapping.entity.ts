import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EventMapping } from '@tidings/contracts/content/event-mappings';

/** An event that is mapped to a notification, which need not exist. */
@Entity('event_mappings')
export class EventMappingEntity {
  @PrimaryColumn('uuid', { name: 'workspace_id' })
  workspaceId!: string;

  @PrimaryColumn('text', { name: 'event_id', collation: 'C' })
  eventId!: string;

  @Column({ type: 'text', name: 'notification_id', collation: 'C' })
  notificationId!: string;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3, default: () => 'now()' })
  updatedAt!: Date;
}

export function toEventMapping({ eventId, notificationId }: EventMappingEntity): EventMapping {
  return { event: eventId, id: notificationId, type: 'notification' };
}
