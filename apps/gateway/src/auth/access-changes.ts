import { Inject, Injectable } from '@nestjs/common';
import { type AccessChanged, accessChanged } from '@tidings/contracts/identity/keys';
import type { EventLog } from '@tidings/events/event-log';
import { ChangeListener } from '@tidings/events/change-listener';
import { EVENT_LOG } from '../gateway.options';

/** Listens for created, changed and revoked keys; the record key of a change is the key's `keyName`. */
@Injectable()
export class AccessChanges extends ChangeListener<AccessChanged> {
  constructor(@Inject(EVENT_LOG) events: EventLog) {
    super(events, accessChanged);
  }
}
