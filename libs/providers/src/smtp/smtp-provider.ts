import { invalid } from '@tidings/contracts/core/refusals';
import { withLimit } from '@tidings/contracts/core/with-limit';
import { type Mailbox, parseMailbox } from '@tidings/contracts/messaging/mailbox';
import { BaseProvider } from '../base-provider';
import { readConfig } from '../call-override';
import { type Attempt, failed, type Outcome } from '../provider';
import type { TestResult } from '../provider-kind';
import type { Recipient } from '../recipient';
import type { Rendered } from '../rendered';
import { addressesOf } from '../addresses';
import { compose, type WireMail } from './compose';
import { ConnectionPool, waited } from './connection-pool';
import { dkimSigner } from './dkim';
import { openConnection } from './handshake';
import type { Command, SmtpConnection } from './smtp-connection';
import { refusal, type Reply, SmtpError } from './smtp-error';
import { type Delivered, toAccepted, toOutcome } from './smtp-outcome';
import type { SmtpSettings } from './smtp-settings';

/** Whether an address is at this machine's own names, as the development mailbox has: other mail servers do not accept it. */
export function isLocalAddress({ address }: Mailbox): boolean {
  return /[@.]localhost$/i.test(address);
}

/**
 * Delivers e-mail through one SMTP server over reused connections. A 250 is acceptance and delivery in one, since no report
 * follows. The `Message-ID` and every other byte of a mail are the same for every repeat of its attempt.
 */
export class SmtpProvider extends BaseProvider {
  readonly key = 'smtp';
  readonly channel = 'email';
  private readonly pool = new ConnectionPool(this.settings);
  private readonly sign = this.settings.dkim && dkimSigner(this.settings.dkim);

  constructor(private readonly settings: SmtpSettings) {
    super();
  }

  /** The sender that other smtp providers may take over: one that the settings name, of a domain that is not this machine's alone. */
  get sender(): Mailbox | undefined {
    const { from, fromSource } = this.settings;
    return fromSource === 'named' && !isLocalAddress(from) ? from : undefined;
  }

  /** The sender of mails without one. */
  get from(): Mailbox {
    return this.settings.from;
  }

  send(rendered: Rendered, recipient: Recipient, attempt: Attempt) {
    return this.tracked(attempt, () => this.sendMail(rendered, recipient, attempt));
  }

  /** Connects, greets and logs in, over a connection of its own. */
  async test(signal: AbortSignal): Promise<TestResult> {
    try {
      const connection = await openConnection(this.settings, signal);
      await connection.quit();
      return { ok: true };
    } catch (error) {
      if (!(error instanceof SmtpError)) throw error;
      return { ok: false, message: toOutcome(error).error, status: error.reply?.code };
    }
  }

  private async sendMail(rendered: Rendered, recipient: Recipient, attempt: Attempt) {
    if (rendered.kind !== 'email' || recipient.channel !== 'email') {
      return failed(`A mail server accepts only e-mail, not ${rendered.kind} for ${recipient.channel}`, 'permanent');
    }
    const addresses = addressesOf(rendered.email, recipient, this.defaultFrom(attempt));
    if ('kind' in addresses) return addresses;
    const composed = await compose(rendered.email, addresses, attempt, this.sign);
    const returnPath = this.settings.returnPath?.(attempt.messageId);
    const mail = returnPath === undefined ? composed : { ...composed, from: returnPath };
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

const DATA: Command = ['DATA', 'DATA\r\n'];
const RSET: Command = ['RSET', 'RSET\r\n'];

/**
 * Sends one mail and resolves with the server's reply. A refusal rejects with `SmtpError`; the connection stays usable for the
 * next mail unless it is closed.
 *
 * A refused recipient ends the mail for all; a refused copy, transient or permanent, does not affect the recipient and the other
 * copies.
 */
async function transact(connection: SmtpConnection, mail: WireMail): Promise<Delivered> {
  checkSuitable(connection, mail);
  const opening = openingOf(connection, mail);
  connection.mails++;
  connection.needsReset = true;

  const { copies } = mail;
  const replies = await sendCommands(connection, opening, copies.length);
  if (copies.length > 0) await sendCommands(connection, [DATA]);

  const reply = await connection.send('message', mail.content);
  if (reply.code >= 300) throw refusal('message', reply);
  connection.needsReset = false;
  return { reply, refused: copies.map((copy, i) => ({ copy, reply: replies[i]! })).filter(isRefused) };
}

/** The commands of the first group. Some of several recipients may be refused; that must be known before DATA, which is then not in it. */
function openingOf(connection: SmtpConnection, mail: WireMail): readonly Command[] {
  const { copies, content, utf8 } = mail;
  const size = connection.capabilities.size ? ` SIZE=${content.length}` : '';
  const parameters = utf8 ? `${size} SMTPUTF8 BODY=8BITMIME` : size;
  return [
    ...(connection.needsReset ? [RSET] : []),
    ['MAIL FROM', `MAIL FROM:<${mail.from}>${parameters}\r\n`],
    ...[mail, ...copies].map(({ to }): Command => ['RCPT TO', `RCPT TO:<${to}>\r\n`]),
    ...(copies.length > 0 ? [] : [DATA]),
  ];
}

function checkSuitable({ capabilities: { smtpUtf8, size } }: SmtpConnection, mail: WireMail) {
  if (mail.utf8 && !smtpUtf8) {
    throw new SmtpError('unsuitable', 'MAIL FROM', 'the server does not accept addresses beyond ASCII (SMTPUTF8)');
  }
  if (size && size.limit > 0 && mail.content.length > size.limit) {
    throw new SmtpError('unsuitable', 'MAIL FROM', `the mail has ${mail.content.length} bytes, the server accepts ${size.limit}`);
  }
}

/** Sends commands, of which the last `copies` may be refused; rejects with the first other refusal. Resolves with the replies to the copies. */
async function sendCommands(connection: SmtpConnection, commands: readonly Command[], copies = 0) {
  const required = commands.length - copies;
  const replies: Reply[] = [];
  for (const group of connection.capabilities.pipelining ? [commands] : commands.map((command) => [command])) {
    replies.push(...(await connection.exchange(group)));
    // After a 421 the server accepts no message.
    const refused = replies.findIndex(({ code }, i) => code === 421 || (i < required && !accepts(commands[i]!, code)));
    if (refused < 0) continue;
    // The server refused the sender or the recipient and still expects a message; closing the connection sends none.
    if (commands.at(-1) === DATA && replies[commands.length - 1]?.code === 354) {
      connection.fail('lost', 'the server expects a message that it refused');
    }
    throw refusal(commands[refused]![0], replies[refused]!);
  }
  return replies.slice(required);
}

function isRefused({ reply }: Delivered['refused'][number]) {
  return reply.code >= 300;
}

function accepts([stage]: Command, code: number) {
  return stage === 'DATA' ? code === 354 : code < 300;
}
