import { parseNetwork } from '@tidings/contracts/core/network';
import { AddressGuard } from '@tidings/providers/http/guard/address-guard';
import { SmtpProvider } from '@tidings/providers/smtp/smtp-provider';
import { parseSmtpUrl } from '@tidings/providers/smtp/smtp-settings';
import { MAIL_HTML, MAIL_TEXT, markOf } from '../send-request';
import { serve } from '../worker';
import { type MailResult, type MailRun, runMails } from './mail-run';

export type SmtpAdapterCommands = { send(run: MailRun): Promise<MailResult> };

/** The product's adapter alone: the mails that nodemailer's pool sends. */
async function send(run: MailRun): Promise<MailResult> {
  const guard = new AddressGuard({ allowed: [parseNetwork('127.0.0.1/32')!] });
  const settings = parseSmtpUrl(`smtp://127.0.0.1:${run.port}?from=bench@example.org`);
  const provider = new SmtpProvider({ ...settings, connections: run.connections, guard });
  try {
    return await runMails(run, async (number) => {
      const messageId = `1-6b012214-${String(number).padStart(24, '0')}`;
      const email = { subject: `Your order is on its way ${markOf(run.run, number)}`, text: MAIL_TEXT, html: MAIL_HTML };
      const outcome = await provider.send(
        { kind: 'email', email },
        { channel: 'email', email: `user-${number}@example.com` },
        { messageId, idempotencyKey: `${messageId}.0`, number: 1, renderedAt: new Date() },
      );
      if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome));
    });
  } finally {
    await provider.close();
  }
}

serve<SmtpAdapterCommands>({ send });
