import { Column, Entity } from 'typeorm';
import type { EventMapping } from '@tidings/contracts/content/event-mappings';
import { ChangedRow, TextKey } from '../rows';

/** An event that is mapped to a notification, which need not exist. */
@Entity('event_mappings')
export class EventMappingEntity extends ChangedRow {
  @TextKey()
  eventId: string;

  @Column({ type: 'text', collation: 'C' })
  notificationId: string;
}

export function toEventMapping({ eventId, notificationId }: EventMappingEntity): EventMapping {
  return { event: eventId, id: notificationId, type: 'notification' };
}
