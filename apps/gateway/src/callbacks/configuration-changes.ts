import { Inject, Injectable } from '@nestjs/common';
import { type ProviderConfigurationChanged, providerConfigurationChanged } from '@tidings/contracts/messaging/providers';
import { ChangeListener } from '@tidings/events/change-listener';
import type { EventLog } from '@tidings/events/event-log';
import { EVENT_LOG } from '../gateway.options';

/** Listens for changes of provider configurations. */
@Injectable()
export class ConfigurationChanges extends ChangeListener<ProviderConfigurationChanged> {
  constructor(@Inject(EVENT_LOG) events: EventLog) {
    super(events, providerConfigurationChanged);
  }
}
