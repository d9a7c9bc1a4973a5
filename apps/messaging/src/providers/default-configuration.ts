import { smtpChannel } from '@tidings/providers/smtp/smtp-kind';
import type { EmailProvider } from '../delivery/providers';
import type { DefaultConfiguration } from './provider-configurations';

/** Id of the default configuration: `TIDINGS_SMTP_URL`, or the development mailbox. */
export const DEFAULT_INTEGRATION_ID = 'default';

/** The default providers of the process; a workspace uses them on channels for which it has configured none. */
export function defaultsOf(providers: readonly EmailProvider[]): DefaultConfiguration[] {
  return providers.map((provider) => ({
    id: DEFAULT_INTEGRATION_ID,
    provider: provider.key,
    channel: provider.channel,
    open: smtpChannel(provider),
  }));
}
