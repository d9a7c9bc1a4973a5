import { type DynamicModule, Logger } from '@nestjs/common';
import { AddressGuard } from '@tidings/providers/http/guard/address-guard';
import { isLocalAddress, SmtpProvider } from '@tidings/providers/smtp/smtp-provider';
import { parseSmtpUrl, type SmtpSettings } from '@tidings/providers/smtp/smtp-settings';
import type { Configuration } from '@tidings/runtime/configuration';
import { RecipientLinks } from '@tidings/runtime/recipient-links';
import type { ServiceResources } from '@tidings/runtime/service';
import { BounceAddresses } from './bounces/bounce-addresses';
import type { BounceOptions } from './bounces/bounce-listener';
import { RemoteMails } from './erasure/remote-mails';
import { MessagingModule } from './messaging.module';

/** The part of the configuration that messaging reads; a separate process requires `smtpUrl`. */
type MessagingConfiguration = Pick<
  Configuration,
  'smtpUrl' | 'dkim' | 'senderDomains' | 'bounceLimits' | 'secretKeys' | 'allowedNetworks' | 'messageRetentionMs' | 'historyRetentionMs'
> &
  Partial<Pick<Configuration, 'mailboxUrl' | 'publicUrl' | 'bounceDomain' | 'bouncePort'>>;

/**
 * The mail server of `TIDINGS_SMTP_URL`. Logs a warning where it names no sender, and where workspaces may send as any other.
 * @param dkim how its mails are signed. @param bounces where its bounces go.
 * @throws ServiceError as `parseSmtpUrl`.
 */
export function operatorsSmtp(
  url: string,
  { dkim, senderDomains }: Partial<Pick<MessagingConfiguration, 'dkim' | 'senderDomains'>> = {},
  bounces?: BounceOptions,
): SmtpSettings {
  const returnPath = bounces && ((messageId: string) => bounces.addresses.of(messageId));
  const smtp = { ...parseSmtpUrl(url), dkim, returnPath };
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

/** Where bounces are received. Without keys no return path could be distinguished from an invented one. */
export function bouncesOf(
  { bounceDomain: domain, bouncePort: port }: Pick<MessagingConfiguration, 'bounceDomain' | 'bouncePort'>,
  keys: readonly Buffer[] = [],
): BounceOptions | undefined {
  if (domain === undefined) return undefined;
  if (keys.length > 0) return { addresses: new BounceAddresses(domain, keys), port };
  new Logger('Messaging').warn('TIDINGS_BOUNCE_DOMAIN has no effect without TIDINGS_SECRET_KEY, which signs the return paths');
  return undefined;
}

/** Makes the links of recipients. Logs a warning where none can be made, or mail clients cannot use them. */
export function recipientLinks(
  secretKeys: readonly Buffer[] | undefined,
  { publicUrl }: Pick<MessagingConfiguration, 'publicUrl'>,
): RecipientLinks {
  const links = new RecipientLinks(secretKeys, publicUrl);
  const { missing } = links;
  if (missing !== undefined) new Logger('Messaging').warn(`${missing}: messages carry no links to unsubscribe`);
  else if (!links.areSecure)
    new Logger('Messaging').warn(
      'TIDINGS_PUBLIC_URL is not https: mails have no List-Unsubscribe, which mail clients accept with https only',
    );
  return links;
}

/** Builds the module of a separate process. Each start attempt creates a new module with new providers. */
export function processModule(configuration: MessagingConfiguration): (resources: ServiceResources) => DynamicModule {
  const {
    smtpUrl,
    senderDomains,
    bounceLimits,
    secretKeys,
    allowedNetworks,
    mailboxUrl,
    publicUrl,
    messageRetentionMs: messagesMs,
    historyRetentionMs: historyMs,
  } = configuration;
  const bounces = bouncesOf(configuration, secretKeys);
  const smtp = operatorsSmtp(smtpUrl!, configuration, bounces);
  const guard = new AddressGuard({ allowed: allowedNetworks });
  const openProviders = () => [new SmtpProvider(smtp)];
  const retention = { messagesMs, historyMs };
  const storedMails = mailboxUrl === undefined ? undefined : new RemoteMails(mailboxUrl);
  const options = {
    openProviders,
    senderDomains,
    bounceLimits,
    secretKeys,
    links: recipientLinks(secretKeys, configuration),
    guard,
    storedMails,
    publicUrl,
    bounces,
    publishHistory: true,
    retention,
  };
  return (resources) => MessagingModule.register({ ...resources, ...options });
}
