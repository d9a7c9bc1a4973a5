import { ServiceError } from '@tidings/contracts/core/errors';
import { invalid } from '@tidings/contracts/core/refusals';
import { type Mailbox, parseMailbox } from '@tidings/contracts/messaging/mailbox';
import { readConfig, refusedOverride } from '../call-override';
import type { EmailRecipient, RenderedEmail } from '../email';
import { type Attempt, type Failed, type Outcome, type Provider, retry } from '../provider';
import { type Addresses, addressesOf } from './addresses';
import { compose, type WireMail } from './compose';
import { ConnectionPool } from './connection-pool';
import { toAccepted, toOutcome } from './outcomes';
import type { SmtpConnection } from './smtp-connection';
import { SmtpError } from './smtp-error';
import type { SmtpSettings } from './smtp-settings';
import { deliver } from './transaction';

/**
 * Delivers e-mail through one SMTP server over reused connections. A 250 is acceptance and delivery in one, since no report
 * follows. The `Message-ID` and every other byte of a mail are the same for every repeat of its attempt.
 */
export class SmtpProvider implements Provider<RenderedEmail, EmailRecipient> {
  readonly key = 'smtp';
  readonly channel = 'email';
  private readonly pool: ConnectionPool;
  private readonly openCalls = new Set<Promise<Outcome>>();
  private closed = false;

  constructor(private readonly settings: SmtpSettings) {
    this.pool = new ConnectionPool(settings);
  }

  send(email: RenderedEmail, recipient: EmailRecipient, attempt: Attempt): Promise<Outcome> {
    if (this.closed) return Promise.resolve(retry('The SMTP provider was closed'));
    const call = this.call(email, recipient, attempt);
    this.openCalls.add(call);
    void call.finally(() => this.openCalls.delete(call)).catch(() => undefined);
    return call;
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.allSettled(this.openCalls);
    await this.pool.close();
  }

  private async call(email: RenderedEmail, recipient: EmailRecipient, attempt: Attempt): Promise<Outcome> {
    const addresses = this.addresses(email, recipient, attempt);
    if ('kind' in addresses) return addresses;
    if (attempt.signal?.aborted) return retry('The call was aborted before it started');
    const mail = await compose(email, addresses, attempt);
    const limit = new CallLimit(this.settings.timeoutMs, attempt.signal);
    try {
      return await this.deliver(mail, limit);
    } catch (error) {
      if (error instanceof SmtpError) return toOutcome(error);
      throw error;
    } finally {
      limit.end();
    }
  }

  private async deliver(mail: WireMail, limit: CallLimit): Promise<Outcome> {
    try {
      return await this.deliverOnce(mail, limit);
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
      // The server had closed the idle connection. No command of this mail was answered, so a repeat is safe.
      this.pool.dropIdle();
      return await this.deliverOnce(mail, limit);
    }
  }

  private async deliverOnce(mail: WireMail, limit: CallLimit): Promise<Outcome> {
    const { connection: pending, cancel } = this.pool.acquire();
    const since = performance.now();
    limit.onEnd = (ended, message) => {
      const kind = ended === 'timeout' && this.pool.wasUpSince(since) ? 'busy' : ended;
      cancel(new SmtpError(kind, 'connecting', `${message} for a connection`));
    };
    const connection = await pending;
    limit.restart();
    const isReused = connection.mails > 0;
    limit.onEnd = (kind, message) => connection.fail(kind, message);
    try {
      return toAccepted(mail, await deliver(connection, mail));
    } catch (error) {
      if (isReused && error instanceof SmtpError && wasDead(error, connection)) throw new StaleConnection();
      throw error;
    } finally {
      limit.onEnd = () => undefined;
      this.pool.release(connection);
    }
  }

  private addresses(email: RenderedEmail, recipient: EmailRecipient, attempt: Attempt): Addresses | Failed {
    try {
      return addressesOf(email, recipient, this.defaultFrom(attempt));
    } catch (error) {
      if (error instanceof ServiceError) return refusedOverride(error);
      throw error;
    }
  }

  /** @throws ServiceError naming the invalid part of the override. */
  private defaultFrom({ override }: Attempt): Mailbox {
    const { from_address: text } = readConfig(override?.config, ['from_address']);
    if (text === undefined) return this.settings.from;
    const from = parseMailbox(text);
    if (!from) throw invalid('override.config.from_address must be one e-mail address, or Name <address>');
    return from;
  }
}

/** A reused connection was closed before the server answered a command of the mail. */
class StaleConnection extends Error {}

/** True when the server has certainly not started to accept the mail: the connection ended, or a 421 came, at its first command. */
function wasDead({ kind, stage, reply }: SmtpError, connection: SmtpConnection): boolean {
  if (connection.isOpen || (stage !== 'RSET' && stage !== 'MAIL FROM')) return false;
  return kind === 'lost' || reply?.code === 421;
}

/** Bounds each step of a call: after `timeoutMs`, or when the caller's signal aborts, it runs the current `onEnd`. */
class CallLimit {
  private ended?: ['timeout' | 'aborted', string];
  private action: (kind: 'timeout' | 'aborted', message: string) => void = () => undefined;
  private timer: NodeJS.Timeout;
  private readonly abort = () => this.stop('aborted', 'the call was aborted while waiting');

  constructor(
    private readonly timeoutMs: number,
    private readonly signal?: AbortSignal,
  ) {
    this.timer = this.startTimer();
    signal?.addEventListener('abort', this.abort, { once: true });
  }

  /** Ends the current wait of the call; runs at once when the limit has already ended. */
  set onEnd(action: (kind: 'timeout' | 'aborted', message: string) => void) {
    this.action = action;
    if (this.ended) action(...this.ended);
  }

  /** Restarts the timeout for the next step, so that a long wait for a connection does not shorten the call itself. */
  restart(): void {
    clearTimeout(this.timer);
    this.timer = this.startTimer();
  }

  end(): void {
    clearTimeout(this.timer);
    this.signal?.removeEventListener('abort', this.abort);
  }

  private startTimer(): NodeJS.Timeout {
    return setTimeout(() => this.stop('timeout', `${this.timeoutMs} ms passed in waiting`), this.timeoutMs);
  }

  private stop(kind: 'timeout' | 'aborted', message: string): void {
    this.ended ??= [kind, message];
    this.action(...this.ended);
  }
}
