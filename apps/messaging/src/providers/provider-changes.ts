import { type ProviderConfigurationChanged, providerConfigurationChanged } from '@tidings/contracts/messaging/providers';
import type { EventLog } from '@tidings/events/event-log';
import { HeardChanges } from '@tidings/events/heard-changes';

/** Hears whose configurations of providers changed, in whichever replica. */
export class ProviderChanges extends HeardChanges<ProviderConfigurationChanged> {
  constructor(events: EventLog) {
    super(events, providerConfigurationChanged);
  }
}
