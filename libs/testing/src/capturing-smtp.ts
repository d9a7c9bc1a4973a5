import type { AddressInfo, Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { CapturedMail, type Ending } from './captured-mail';
import { type WaitOptions, waitUntil } from './wait-until';

const HEADERS_BYTES_MAX = 65_536;
const CLOSE_TIMEOUT_MS = 500;

export interface CapturingSmtpOptions {
  /** Default: any free port of 127.0.0.1. */
  port?: number;
  /** `starttls` offers it, `implicit` speaks TLS from the first byte. Default: neither. */
  tls?: 'starttls' | 'implicit';
  /** Key and certificate. Default: a self-signed one for localhost that is out of date; clients must not verify it. */
  tlsOptions?: TlsOptions;
  /** The one account, required to send. Without it no AUTH is offered. */
  account?: { user: string; password: string };
  /** Stores only envelopes and Message-IDs, for load tests. */
  withoutContent?: boolean;
}

/** How mail for a recipient is answered. For several recipients the strictest behaviour applies. */
export interface Behaviour {
  /** Answers 550 to RCPT TO. */
  refuse?: boolean;
  /** Answers 451 to the first so many DATA; `Infinity` to all. */
  deferFirst?: number;
  /** Accepts the first so many mails, and cuts the connection before the 250. */
  dropFirst?: number;
  /** Accepts the mail and never answers. */
  hang?: boolean;
  /** Delay of the answer to DATA, in ms. */
  slowMs?: number;
  /** Accepts the mail and answers when this resolves, so that a test can check the time before the answer without a timer. */
  heldUntil?: Promise<void>;
}

/** Key of the behaviour of all other recipients. */
export const EVERYBODY = '*';

/** A real SMTP server that stores mails and fails as configured. */
export class CapturingSmtp {
  private readonly server: SMTPServer;
  private readonly behaviours = new Map<string, Behaviour>();
  private readonly all: CapturedMail[] = [];
  private readonly timers = new Set<NodeJS.Timeout>();

  private constructor(private readonly options: CapturingSmtpOptions) {
    const { tls, tlsOptions, account } = options;
    this.server = new SMTPServer({
      ...tlsOptions,
      secure: tls === 'implicit',
      disabledCommands: [...(tls === 'starttls' ? [] : ['STARTTLS']), ...(account ? [] : ['AUTH'])],
      allowInsecureAuth: true,
      disableReverseLookup: true,
      logger: false,
      closeTimeout: CLOSE_TIMEOUT_MS,
      onAuth: ({ username, password }, _session, done) => {
        const isValid = username === account?.user && password === account?.password;
        if (isValid) done(null, { user: username });
        else done(replyError(535, 'Authentication failed'));
      },
      onRcptTo: ({ address }, _session, done) => done(this.behaviourOf(address).refuse ? replyError(550, 'No such user here') : null),
      onData: (stream, session, done) => void this.receive(stream, session, done).catch(done),
    });
    this.server.on('error', () => {}); // some tests disconnect clients
  }

  static async start(options: CapturingSmtpOptions = {}): Promise<CapturingSmtp> {
    const smtp = new CapturingSmtp(options);
    await new Promise<void>((resolve, reject) => {
      const server = smtp.server.listen(options.port ?? 0, '127.0.0.1', resolve);
      server.once('error', reject);
    });
    return smtp;
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  /** Value for `TIDINGS_SMTP_URL`, with the account. */
  get url(): string {
    const { tls, account } = this.options;
    const credentials = account ? `${encodeURIComponent(account.user)}:${encodeURIComponent(account.password)}@` : '';
    return `${tls === 'implicit' ? 'smtps' : 'smtp'}://${credentials}127.0.0.1:${this.port}`;
  }

  /** Sets the behaviour for mail to `recipient` (or `EVERYBODY`), instead of an earlier one. */
  treat(recipient: string, behaviour: Behaviour): void {
    this.behaviours.set(recipient.toLowerCase(), { ...behaviour });
  }

  /** Accepted mails in order of arrival; copies are separate. */
  get mails(): readonly CapturedMail[] {
    return this.all.filter((mail) => mail.isAccepted);
  }

  /** Every complete DATA, also those answered with 451. */
  get arrivals(): readonly CapturedMail[] {
    return this.all;
  }

  mailsTo(recipient: string): CapturedMail[] {
    const wanted = recipient.toLowerCase();
    return this.mails.filter(({ envelope }) => envelope.to.some((address) => address.toLowerCase() === wanted));
  }

  /** Number of accepted mails by Message-ID. */
  copies(): Map<string, number> {
    const copies = new Map<string, number>();
    for (const { messageId } of this.mails) copies.set(messageId, (copies.get(messageId) ?? 0) + 1);
    return copies;
  }

  /** Resolves with the recipient's mails when there are at least `count`. */
  waitForMailsTo(recipient: string, count = 1, options: WaitOptions = {}): Promise<CapturedMail[]> {
    const enough = () => {
      const mails = this.mailsTo(recipient);
      return mails.length >= count ? mails : undefined;
    };
    return waitUntil(enough, { what: `${count} mail(s) to ${recipient}`, ...options });
  }

  /** Forgets mails and behaviours. */
  reset(): void {
    this.all.length = 0;
    this.behaviours.clear();
  }

  /** Cuts every connection, also unanswered ones, and stops listening. */
  async close(): Promise<void> {
    for (const timer of this.timers) clearTimeout(timer);
    for (const connection of this.connections()) connection._socket.destroy();
    await new Promise<void>((resolve) => this.server.close(resolve));
  }

  private async receive(stream: SMTPServerDataStream, session: SMTPServerSession, done: (error?: Error | null) => void): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks);

    const to = session.envelope.rcptTo.map(({ address }) => address);
    const { ending, slowMs, released } = this.decide(to);
    const from = session.envelope.mailFrom ? session.envelope.mailFrom.address : '';
    this.all.push(new CapturedMail({ from, to }, this.options.withoutContent ? Buffer.alloc(0) : raw, ending, Date.now(), headersOf(raw)));

    if (ending === 'hung') return;
    await released;
    await this.pause(slowMs);
    if (ending === 'dropped')
      this.connections()
        .find((connection) => connection.session.id === session.id)
        ?._socket.destroy();
    else done(ending === 'deferred' ? replyError(451, 'Try again later') : null);
  }

  private decide(recipients: readonly string[]): { ending: Ending; slowMs: number; released: Promise<unknown> } {
    const behaviours = recipients.map((recipient) => this.behaviourOf(recipient));
    const slowMs = Math.max(0, ...behaviours.map((behaviour) => behaviour.slowMs ?? 0));
    const released = Promise.all(behaviours.map(async ({ heldUntil }) => heldUntil));
    const counted = (name: 'deferFirst' | 'dropFirst') =>
      behaviours.filter((behaviour) => (behaviour[name] ?? 0) > 0 && behaviour[name]!--);
    if (counted('deferFirst').length > 0) return { ending: 'deferred', slowMs, released };
    if (counted('dropFirst').length > 0) return { ending: 'dropped', slowMs, released };
    return { ending: behaviours.some(({ hang }) => hang) ? 'hung' : 'accepted', slowMs, released };
  }

  private behaviourOf(recipient: string): Behaviour {
    return this.behaviours.get(recipient.toLowerCase()) ?? this.behaviours.get(EVERYBODY) ?? {};
  }

  private pause(ms: number): Promise<void> | undefined {
    if (ms <= 0) return undefined;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.timers.delete(timer);
        resolve();
      }, ms);
      this.timers.add(timer);
    });
  }

  /** Open connections with their sockets, which the library does not expose. */
  private connections(): { session: { id: string }; _socket: Socket }[] {
    return [...this.server.connections] as { session: { id: string }; _socket: Socket }[];
  }
}

/** The mail's headers, with folded lines joined. */
function headersOf(raw: Buffer): string {
  const start = raw.subarray(0, HEADERS_BYTES_MAX).toString('latin1');
  return start.slice(0, start.search(/\r?\n\r?\n|$(?![\s\S])/)).replace(/\r?\n[ \t]+/g, ' ');
}

function replyError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
