import { type ProviderConfigurationChanged, providerConfigurationChanged } from '@tidings/contracts/messaging/providers';
import type { EventLog } from '@tidings/events/event-log';
import { ChangeListener } from '@tidings/events/change-listener';

/** Listens for changes of provider configurations in any replica. */
export class ProviderChanges extends ChangeListener<ProviderConfigurationChanged> {
  constructor(events: EventLog) {
    super(events, providerConfigurationChanged);
  }
}
