import { type ContentChanged, contentChanged } from '@tidings/contracts/content/events';
import type { EventLog } from '@tidings/events/event-log';
import { HeardChanges } from '@tidings/events/heard-changes';

/** Hears which published content changed. */
export class ContentChanges extends HeardChanges<ContentChanged> {
  constructor(events: EventLog) {
    super(events, contentChanged);
  }
}
