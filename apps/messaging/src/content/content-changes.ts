import { type ContentChanged, contentChanged } from '@tidings/contracts/content/events';
import type { EventLog } from '@tidings/events/event-log';
import { ChangeListener } from '@tidings/events/change-listener';

/** Hears which published content changed. */
export class ContentChanges extends ChangeListener<ContentChanged> {
  constructor(events: EventLog) {
    super(events, contentChanged);
  }
}
