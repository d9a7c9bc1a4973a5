import { invalid } from '@tidings/contracts/core/refusals';
import { withLimit } from '@tidings/contracts/core/with-limit';
import { parseMailbox } from '@tidings/contracts/messaging/mailbox';
import { BaseProvider } from '../base-provider';
import { readConfig } from '../call-override';
import { type Accepted, type Attempt, bounced, failed, type Outcome, retry } from '../provider';
import type { Recipient } from '../recipient';
import type { Rendered } from '../rendered';
import { addressesOf } from './addresses';
import { compose, type WireMail } from './compose';
import { ConnectionPool, waited } from './connection-pool';
import type { SmtpConnection } from './smtp-connection';
import { type Reply, SmtpError, type Stage } from './smtp-error';
import type { SmtpSettings } from './smtp-settings';
import { deliver, type Delivered } from './transaction';

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
        () => deliver(connection, mail),
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

/** Codes of a server that requires a login or encryption first. */
const LOGIN_CODES = new Set([530, 534, 535, 538]);
const RESPONSE_LENGTH_MAX = 1_024;
const BOUNCE_CODES = new Set([550, 551, 553]);
/** As replies to a recipient: invalid address. As replies to other commands they concern the command. */
const NO_ADDRESS_CODES = new Set([501, 513]);

/**
 * No report follows a 250, so it counts as delivered; `reply` is the server's text, often with its queue id. The response lists the
 * refused copies, blind ones without their address.
 */
function toAccepted(mail: WireMail, { reply, refused }: Delivered): Accepted {
  const reference = { reply: reply.line, message_id: mail.messageId };
  if (refused.length === 0) return { kind: 'accepted', reference, delivered: true };
  const copies = refused.map(({ copy: { kind }, reply: { code, line } }) => `${kind} refused: ${kind === 'bcc' ? code : line}`);
  const body = [reply.line, ...copies].join('\n').slice(0, RESPONSE_LENGTH_MAX);
  return { kind: 'accepted', reference, delivered: true, response: { status: reply.code, body } };
}

/** Maps the early end of a conversation to the outcome of the attempt. */
function toOutcome({ kind, stage, message, reply }: SmtpError): Outcome {
  const error = `Mail server: ${message}`;
  switch (kind) {
    case 'refused':
      return reply ? toRefusal(stage, reply) : retry(message);
    case 'busy':
      return retry(error);
    case 'certificate':
      return failed(error, 'configuration');
    case 'unsuitable':
      return failed(error, stage === 'MAIL FROM' ? 'permanent' : 'configuration');
    case 'lost':
    case 'timeout':
    case 'aborted':
      return retry(`${error} (${describeStage(stage)})`, { ...(kind !== 'aborted' && BEFORE_MAIL.has(stage) && { outage: true }) });
  }
}

function toRefusal(stage: Stage, reply: Reply) {
  const { code, status = '' } = reply;
  const error = `Mail server refused ${SUBJECTS[stage]}: ${reply.line}`;
  if (code < 500) {
    // 421 ends the whole conversation, whichever recipient it answers.
    if (code === 421 || BEFORE_MAIL.has(stage)) return retry(error, { outage: true });
    return code === 452 || status === '4.2.2' ? retry(error, { reasonCode: 'SOFT' }) : retry(error);
  }
  // Before the recipient, a refusal concerns the sender: its login, sender address or network address.
  const isOfSender = stage !== 'RCPT TO' && stage !== 'DATA' && stage !== 'message';
  if (isOfSender || LOGIN_CODES.has(code)) return failed(error, 'configuration');
  if (status === '5.2.2') return bounced(error, 'SOFT');
  const isNoAddress = stage === 'RCPT TO' && status === '' && NO_ADDRESS_CODES.has(code);
  if (isNoAddress || BOUNCE_CODES.has(code) || status.startsWith('5.1.') || status === '5.2.1') return bounced(error, 'HARD');
  return failed(error, 'permanent');
}

/**
 * Stages at which a fault concerns every mail. From MAIL FROM on that is unknown: many servers delay their replies to sender and
 * recipient until they have checked the recipient.
 */
const BEFORE_MAIL: ReadonlySet<Stage> = new Set(['connecting', 'greeting', 'EHLO', 'STARTTLS', 'AUTH']);

const SUBJECTS: Readonly<Record<Stage, string>> = {
  connecting: 'the connection',
  greeting: 'the connection',
  EHLO: 'the connection',
  STARTTLS: 'STARTTLS',
  AUTH: 'the login',
  RSET: 'RSET',
  'MAIL FROM': 'the sender',
  'RCPT TO': 'the recipient',
  DATA: 'to accept a message',
  message: 'the message after its end',
};

function describeStage(stage: Stage) {
  if (stage === 'message') return 'after the whole message, before its answer: the server may have accepted it';
  return `at ${stage}, before the message`;
}
