import { smtpChannel } from '@tidings/providers/smtp/smtp-kind';
import type { EmailProvider } from '../delivery/providers';
import type { DefaultConfiguration } from './provider-configurations';

/** Id of the configuration that is there without being configured: `TIDINGS_SMTP_URL`, or the development mailbox. */
export const DEFAULT_INTEGRATION_ID = 'default';

/** The providers of the process itself, as every workspace has them until it configures one of its own for the channel. */
export function defaultsOf(providers: readonly EmailProvider[]): DefaultConfiguration[] {
  return providers.map((provider) => ({
    id: DEFAULT_INTEGRATION_ID,
    provider: provider.key,
    channel: provider.channel,
    open: smtpChannel(provider),
  }));
}
