import { type ProviderConfigurationChanged, providerConfigurationChanged } from '@tidings/contracts/messaging/providers';
import type { EventLog } from '@tidings/events/event-log';
import { ChangeListener } from '@tidings/events/change-listener';

/** Hears whose configurations of providers changed, in whichever replica. */
export class ProviderChanges extends ChangeListener<ProviderConfigurationChanged> {
  constructor(events: EventLog) {
    super(events, providerConfigurationChanged);
  }
}
