import type { DynamicModule } from '@nestjs/common';
import { AddressGuard } from '@tidings/providers/http/guard/address-guard';
import { SmtpProvider } from '@tidings/providers/smtp/smtp-provider';
import { parseSmtpUrl } from '@tidings/providers/smtp/smtp-settings';
import type { Configuration } from '@tidings/runtime/configuration';
import type { ServiceResources } from '@tidings/runtime/service';
import { MessagingModule } from './messaging.module';

/** What of its configuration messaging needs; a process of its own requires `smtpUrl`. */
type Configured = Pick<Configuration, 'smtpUrl' | 'secretKeys' | 'allowedNetworks' | 'messageRetentionMs' | 'historyRetentionMs'>;

/** The module of a process of its own, made anew at each attempt to start it. */
export function processModule(configuration: Configured): (resources: ServiceResources) => DynamicModule {
  const { smtpUrl, secretKeys, allowedNetworks, messageRetentionMs: messagesMs, historyRetentionMs: historyMs } = configuration;
  const smtp = parseSmtpUrl(smtpUrl!);
  const guard = new AddressGuard({ allowed: allowedNetworks });
  const openProviders = () => [new SmtpProvider(smtp)];
  const retention = { messagesMs, historyMs };
  return (resources) => MessagingModule.register({ ...resources, openProviders, secretKeys, guard, publishHistory: true, retention });
}
