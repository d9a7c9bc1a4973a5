import 'reflect-metadata';
import { SmtpProvider } from '@tidings/providers/smtp/smtp-provider';
import { parseSmtpUrl } from '@tidings/providers/smtp/smtp-settings';
import { runService } from '@tidings/runtime/run-service';
import { MessagingModule } from './messaging.module';

/** messaging in a process of its own. Its mail goes to the server of `TIDINGS_SMTP_URL`. */
runService({
  name: 'messaging',
  module: ({ smtpUrl }) => {
    const settings = parseSmtpUrl(smtpUrl!); // required of this process
    return (resources) => MessagingModule.register({ ...resources, providers: [new SmtpProvider(settings)], publishHistory: true });
  },
});
