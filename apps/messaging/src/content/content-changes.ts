import { type ContentChanged, contentChanged } from '@tidings/contracts/content/events';
import type { EventLog } from '@tidings/events/event-log';
import { ChangeListener } from '@tidings/events/change-listener';

/** Listens for changes of published content. */
export class ContentChanges extends ChangeListener<ContentChanged> {
  constructor(events: EventLog) {
    super(events, contentChanged);
  }
}
