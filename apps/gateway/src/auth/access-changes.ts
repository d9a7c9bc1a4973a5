import { type AccessChanged, accessChanged } from '@tidings/contracts/identity/keys';
import type { EventLog } from '@tidings/events/event-log';
import { ChangeListener } from '@tidings/events/change-listener';

/** Listens for created, changed and revoked keys; the record key of a change is the key's `keyName`. */
export class AccessChanges extends ChangeListener<AccessChanged> {
  constructor(events: EventLog) {
    super(events, accessChanged);
  }
}
