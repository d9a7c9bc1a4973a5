import type { AddressInfo } from 'node:net';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';

/** A mail the mailbox was given, as people read it. */
export interface MailboxMail {
  readonly id: string;
  /** Sender and recipients of the envelope: where it really went, whatever its headers say. */
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  /** ISO 8601. */
  readonly received_at: string;
  readonly message_id: string;
  readonly text: string;
  readonly html: string;
}

export interface MailboxOptions {
  /** 0 (default) takes any free port. */
  readonly port?: number;
  /** Mails kept; the oldest go first. */
  readonly mailsMax?: number;
  /** Bytes of mails kept; the newest mail is kept whatever its size. */
  readonly bytesMax?: number;
  readonly clock?: { now(): Date };
}

const MAILS_MAX = 1_000;
const BYTES_MAX = 32 * 1024 * 1024;
const MAIL_BYTES_MAX = 10 * 1024 * 1024;
const CLIENTS_MAX = 200;
const CLOSE_TIMEOUT_MS = 200;
const HOST = '127.0.0.1';

interface Kept {
  readonly id: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly receivedAt: Date;
  readonly raw: Buffer;
}

/**
 * A real SMTP server on loopback that delivers to nobody: it keeps the last mails in memory, for developers to look at. It
 * takes every sender, recipient and text, without login or TLS. Mails are read apart only when somebody looks.
 */
export class Mailbox {
  private readonly kept = new Map<string, Kept>();
  private bytes = 0;
  private count = 0;

  private constructor(
    private readonly server: SMTPServer,
    private readonly options: Required<Omit<MailboxOptions, 'port'>>,
  ) {}

  /** Listens when it resolves. Rejects when the port is taken. */
  static async start({
    port = 0,
    mailsMax = MAILS_MAX,
    bytesMax = BYTES_MAX,
    clock = { now: () => new Date() },
  }: MailboxOptions = {}): Promise<Mailbox> {
    const server = new SMTPServer({
      name: 'tidings-mailbox',
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      logger: false,
      size: MAIL_BYTES_MAX,
      maxClients: CLIENTS_MAX,
      closeTimeout: CLOSE_TIMEOUT_MS,
      onData: (stream, session, done) => void mailbox.receive(stream, session).then(() => done(), done),
    });
    const mailbox = new Mailbox(server, { mailsMax, bytesMax, clock });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, HOST, () => {
        server.off('error', reject);
        resolve();
      });
    });
    // From here on an error is that of one client's connection, which has ended by it.
    server.on('error', () => undefined);
    return mailbox;
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  /** Where to send mails to, as an SMTP URL. */
  get url(): string {
    return `smtp://${HOST}:${this.port}`;
  }

  /** The newest mails, newest first. */
  async list(limit = MAILS_MAX): Promise<MailboxMail[]> {
    const newest = [...this.kept.values()].slice(-limit).reverse();
    return Promise.all(newest.map(read));
  }

  /** One mail with its source, or undefined when it was never here or had to go. */
  async get(id: string): Promise<(MailboxMail & { readonly raw: string }) | undefined> {
    const mail = this.kept.get(id);
    return mail && { ...(await read(mail)), raw: mail.raw.toString('utf8') };
  }

  /** Ends the connections and forgets the mails. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(resolve));
    this.kept.clear();
    this.bytes = 0;
  }

  private async receive(stream: SMTPServerDataStream, { envelope }: SMTPServerSession): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    if (stream.sizeExceeded) throw Object.assign(new Error(`A mail may have ${MAIL_BYTES_MAX} bytes`), { responseCode: 552 });

    const raw = Buffer.concat(chunks);
    const id = String(++this.count);
    const from = envelope.mailFrom ? envelope.mailFrom.address : '';
    this.kept.set(id, { id, from, to: envelope.rcptTo.map(({ address }) => address), receivedAt: this.options.clock.now(), raw });
    this.bytes += raw.length;
    this.forgetOldest();
  }

  private forgetOldest(): void {
    for (const [id, { raw }] of this.kept) {
      const fits = this.kept.size <= this.options.mailsMax && this.bytes <= this.options.bytesMax;
      if (fits || this.kept.size === 1) return;
      this.kept.delete(id);
      this.bytes -= raw.length;
    }
  }
}

async function read({ id, from, to, receivedAt, raw }: Kept): Promise<MailboxMail> {
  const { subject = '', messageId = '', text = '', html = '' } = await PostalMime.parse(raw);
  return { id, from, to, subject, received_at: receivedAt.toISOString(), message_id: messageId, text, html };
}
