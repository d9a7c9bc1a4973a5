import { type AccessChanged, accessChanged } from '@tidings/contracts/identity/keys';
import type { EventLog } from '@tidings/events/event-log';
import { HeardChanges } from '@tidings/events/heard-changes';

/** Hears which keys were made, changed or revoked; the record key of a change is the key's `keyName`. */
export class AccessChanges extends HeardChanges<AccessChanged> {
  constructor(events: EventLog) {
    super(events, accessChanged);
  }
}
