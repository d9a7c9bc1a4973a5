import { invalid } from '@tidings/contracts/core/refusals';
import { withLimit } from '@tidings/contracts/core/with-limit';
import { parseMailbox } from '@tidings/contracts/messaging/mailbox';
import { BaseProvider } from '../base-provider';
import { readConfig } from '../call-override';
import { type Attempt, failed, type Outcome } from '../provider';
import type { Recipient } from '../recipient';
import type { Rendered } from '../rendered';
import { addressesOf } from './addresses';
import { compose, type WireMail } from './compose';
import { ConnectionPool, waited } from './connection-pool';
import type { SmtpConnection } from './smtp-connection';
import { SmtpError } from './smtp-error';
import { toAccepted, toOutcome } from './smtp-outcome';
import type { SmtpSettings } from './smtp-settings';
import { transact } from './transaction';

/**
 * Delivers e-mail through one SMTP server over reused connections. A 250 is acceptance and delivery in one, since no report
 * follows. The `Message-ID` and every other byte of a mail are the same for every repeat of its attempt.
 */
export class SmtpProvider extends BaseProvider {
  readonly key = 'smtp';
  readonly channel = 'email';
  private readonly pool = new ConnectionPool(this.settings);

  constructor(private readonly settings: SmtpSettings) {
    super();
  }

  protected async call(rendered: Rendered, recipient: Recipient, attempt: Attempt) {
    if (rendered.kind !== 'email' || recipient.channel !== 'email') {
      return failed(`A mail server accepts only e-mail, not ${rendered.kind} for ${recipient.channel}`, 'permanent');
    }
    const addresses = addressesOf(rendered.email, recipient, this.defaultFrom(attempt));
    if ('kind' in addresses) return addresses;
    const mail = await compose(rendered.email, addresses, attempt);
    try {
      return await this.deliver(mail, attempt.signal);
    } catch (error) {
      if (error instanceof SmtpError) return toOutcome(error);
      throw error;
    }
  }

  protected release() {
    return this.pool.close();
  }

  private async deliver(mail: WireMail, signal: AbortSignal | undefined, isRepeat = false): Promise<Outcome> {
    const connection = await this.pool.acquire(signal);
    const { timeoutMs } = this.settings;
    const mayBeStale = connection.mails > 0 && !isRepeat;
    try {
      const delivered = await withLimit(
        { timeoutMs, signal },
        (why) => connection.fail(why, waited(why, timeoutMs)),
        () => transact(connection, mail),
      );
      return toAccepted(mail, delivered);
    } catch (error) {
      if (!(error instanceof SmtpError) || !mayBeStale || !wasDead(error, connection)) throw error;
    } finally {
      this.pool.release(connection);
    }
    // The server had closed the idle connection. No command of this mail was answered, so a repeat is safe.
    this.pool.dropIdle();
    return this.deliver(mail, signal, true);
  }

  /** @throws ServiceError naming the invalid part of the override. */
  private defaultFrom({ override }: Attempt) {
    const { from_address: text } = readConfig(override?.config, ['from_address']);
    if (text === undefined) return this.settings.from;
    const from = parseMailbox(text);
    if (!from) throw invalid('override.config.from_address must be one e-mail address, or Name <address>');
    return from;
  }
}

/** True when the server has certainly not started to accept the mail: the connection ended, or a 421 came, at its first command. */
function wasDead({ kind, stage, reply }: SmtpError, connection: SmtpConnection) {
  if (connection.isOpen || (stage !== 'RSET' && stage !== 'MAIL FROM')) return false;
  return kind === 'lost' || reply?.code === 421;
}
