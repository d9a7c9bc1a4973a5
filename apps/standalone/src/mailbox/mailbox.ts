import type { AddressInfo } from 'node:net';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { MailFiles, type StoredMail } from './mail-files';

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
  /** Where mails are kept beyond this process. Default: nowhere. */
  readonly directory?: string;
}

/** Of the data directory. */
export const MAILBOX_FOLDER = 'mailbox';

const MAILS_MAX = 1_000;
const BYTES_MAX = 32 * 1024 * 1024;
const MAIL_BYTES_MAX = 10 * 1024 * 1024;
const CLIENTS_MAX = 200;
const CLOSE_TIMEOUT_MS = 200;
const HOST = '127.0.0.1';

/**
 * A real SMTP server on loopback that delivers to nobody: it keeps the last mails, for developers to look at. It takes every
 * sender, recipient and text, without login or TLS. Mails are read apart only when somebody looks.
 */
export class Mailbox {
  private readonly kept = new Map<string, StoredMail>();
  private bytes = 0;
  private lastId = 0;

  private constructor(
    private readonly server: SMTPServer,
    private readonly options: Required<Omit<MailboxOptions, 'port' | 'directory'>>,
    private readonly files: MailFiles | undefined,
  ) {}

  /** Listens, with the mails of the directory, when it resolves. Rejects when the port is taken. */
  static async start({
    port = 0,
    mailsMax = MAILS_MAX,
    bytesMax = BYTES_MAX,
    clock = { now: () => new Date() },
    directory,
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
    const files = directory === undefined ? undefined : await MailFiles.open(directory);
    const mailbox = new Mailbox(server, { mailsMax, bytesMax, clock }, files);
    await mailbox.restore();
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

  /** Ends the connections and forgets the mails, those in files aside. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(resolve));
    this.kept.clear();
    this.bytes = 0;
  }

  private async restore(): Promise<void> {
    for (const mail of (await this.files?.readAll()) ?? []) {
      this.lastId = Number(mail.id);
      this.keep(mail);
    }
    await this.forgetOldest();
  }

  private async receive(stream: SMTPServerDataStream, { envelope }: SMTPServerSession): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    if (stream.sizeExceeded) throw Object.assign(new Error(`A mail may have ${MAIL_BYTES_MAX} bytes`), { responseCode: 552 });

    const raw = Buffer.concat(chunks);
    const mail: StoredMail = {
      id: String(++this.lastId),
      from: envelope.mailFrom ? envelope.mailFrom.address : '',
      to: envelope.rcptTo.map(({ address }) => address),
      receivedAt: this.options.clock.now(),
      raw,
    };
    await this.files?.write(mail);
    this.keep(mail);
    await this.forgetOldest();
  }

  private keep(mail: StoredMail): void {
    this.kept.set(mail.id, mail);
    this.bytes += mail.raw.length;
  }

  private async forgetOldest(): Promise<void> {
    for (const [id, { raw }] of this.kept) {
      const fits = this.kept.size <= this.options.mailsMax && this.bytes <= this.options.bytesMax;
      if (fits || this.kept.size === 1) return;
      this.kept.delete(id);
      this.bytes -= raw.length;
      await this.files?.remove(id);
    }
  }
}

async function read({ id, from, to, receivedAt, raw }: StoredMail): Promise<MailboxMail> {
  const { subject = '', messageId = '', text = '', html = '' } = await PostalMime.parse(raw);
  return { id, from, to, subject, received_at: receivedAt.toISOString(), message_id: messageId, text, html };
}
