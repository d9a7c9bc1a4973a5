import { type DynamicModule, Logger } from '@nestjs/common';
import { AddressGuard } from '@tidings/providers/http/guard/address-guard';
import { isLocalAddress, SmtpProvider } from '@tidings/providers/smtp/smtp-provider';
import { parseSmtpUrl, type SmtpSettings } from '@tidings/providers/smtp/smtp-settings';
import type { Configuration } from '@tidings/runtime/configuration';
import type { ServiceResources } from '@tidings/runtime/service';
import { MessagingModule } from './messaging.module';

/** The part of the configuration that messaging reads; a separate process requires `smtpUrl`. */
type MessagingConfiguration = Pick<
  Configuration,
  'smtpUrl' | 'dkim' | 'senderDomains' | 'secretKeys' | 'allowedNetworks' | 'messageRetentionMs' | 'historyRetentionMs'
>;

/**
 * The mail server of `TIDINGS_SMTP_URL`. Logs a warning where it names no sender, and where workspaces may send as any other.
 * @param dkim how its mails are signed.
 * @throws ServiceError as `parseSmtpUrl`.
 */
export function operatorsSmtp(
  url: string,
  { dkim, senderDomains }: Partial<Pick<MessagingConfiguration, 'dkim' | 'senderDomains'>> = {},
): SmtpSettings {
  const smtp = { ...parseSmtpUrl(url), dkim };
  if (smtp.fromSource !== 'named') {
    new Logger('Messaging').warn(
      `TIDINGS_SMTP_URL names no sender: mails without one are sent as ${smtp.from.address}, and smtp providers require from_address; add ?from=…`,
    );
  }
  if (!senderDomains && !isLocalAddress(smtp.from))
    new Logger('Messaging').warn(
      'TIDINGS_SENDER_DOMAINS is not set: every workspace may send from any domain with TIDINGS_SMTP_URL, unless "tidings workspaces senders" limits it',
    );
  return smtp;
}

/** Builds the module of a separate process. Each start attempt creates a new module with new providers. */
export function processModule(configuration: MessagingConfiguration): (resources: ServiceResources) => DynamicModule {
  const {
    smtpUrl,
    senderDomains,
    secretKeys,
    allowedNetworks,
    messageRetentionMs: messagesMs,
    historyRetentionMs: historyMs,
  } = configuration;
  const smtp = operatorsSmtp(smtpUrl!, configuration);
  const guard = new AddressGuard({ allowed: allowedNetworks });
  const openProviders = () => [new SmtpProvider(smtp)];
  const retention = { messagesMs, historyMs };
  return (resources) =>
    MessagingModule.register({ ...resources, openProviders, senderDomains, secretKeys, guard, publishHistory: true, retention });
}
