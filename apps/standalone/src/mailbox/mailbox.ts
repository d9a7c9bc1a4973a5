import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { MailFiles, type StoredMail } from './mail-files';
import { attachmentOf, parseMail } from './mail-parts';

export interface MailboxOptions {
  /** 0 (default): any free port. */
  readonly port?: number;
  /** Mails to retain; the oldest are removed first. */
  readonly mailsMax?: number;
  /** Bytes of mails to retain; the newest mail is retained whatever its size. */
  readonly bytesMax?: number;
  readonly clock?: { now(): Date };
  /** Where mails are stored across restarts. Default: in memory only. */
  readonly directory?: string;
}

/** Folder in the data directory. */
export const MAILBOX_FOLDER = 'mailbox';

const MAILS_MAX = 1_000;
const MAIL_BYTES_MAX = 10 * 1024 * 1024;
const HOST = '127.0.0.1';
/** Of mails without a sender. At a name of this machine alone, so no other mail server is given it. */
const SENDER = 'notifications@tidings.localhost';

/**
 * An SMTP server on loopback that delivers nothing: it stores the latest mails for developers. It accepts every sender, recipient
 * and text, without login or TLS. Mails are parsed when they are shown.
 */
export class Mailbox {
  private readonly mails = new Map<string, StoredMail>();
  private lastId = 0;

  private constructor(
    private readonly server: SMTPServer,
    private readonly options: Required<Omit<MailboxOptions, 'port' | 'directory'>>,
    private readonly files: MailFiles | undefined,
  ) {}

  /** Resolves once it listens and has loaded the mails of the directory. Rejects when the port is in use. */
  static async start({
    port = 0,
    mailsMax = MAILS_MAX,
    bytesMax = 32 * 1024 * 1024,
    clock = { now: () => new Date() },
    directory,
  }: MailboxOptions = {}): Promise<Mailbox> {
    const server = new SMTPServer({
      name: 'tidings-mailbox',
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      logger: false,
      size: MAIL_BYTES_MAX,
      maxClients: 200,
      closeTimeout: 200,
      onData: (stream, session, done) => void mailbox.receive(stream, session).then(() => done(), done),
    });
    const files = directory === undefined ? undefined : await MailFiles.open(directory);
    const mailbox = new Mailbox(server, { mailsMax, bytesMax, clock }, files);
    await mailbox.restore();
    // Errors concern one client's connection, which is closed already; that of the start is thrown below.
    server.on('error', () => undefined);
    server.listen(port, HOST);
    await once(server.server, 'listening');
    return mailbox;
  }

  get port() {
    return (this.server.server.address() as AddressInfo).port;
  }

  /** The SMTP URL to send mails to. */
  get url() {
    return `smtp://${HOST}:${this.port}`;
  }

  /** `url` with a sender, as the URL of an operator's mail server: every process that sends to the mailbox uses the same. */
  get operatorsUrl() {
    return `${this.url}?from=${SENDER}`;
  }

  /** The newest mails, newest first. */
  async list(limit = MAILS_MAX) {
    return Promise.all([...this.mails.values()].slice(-limit).reverse().map(parseMail));
  }

  /** One mail with its source; undefined when it is unknown or was removed. */
  async get(id: string) {
    const mail = this.mails.get(id);
    return mail && { ...(await parseMail(mail)), raw: mail.raw.toString('utf8') };
  }

  /** The attachment `number` of a mail, from 1, with its content; undefined when mail or attachment is unknown. */
  async attachment(id: string, number: number) {
    const mail = this.mails.get(id);
    return mail && attachmentOf(mail, number);
  }

  /** Removes every mail, also those whose files are being written. */
  async empty() {
    const ids = [...this.mails.keys()];
    this.mails.clear();
    await Promise.all(ids.map(async (id) => this.files?.remove(id)));
  }

  /** Removes the mails to one of the addresses, also those that others got too; resolves with their number. */
  async erase(addresses: readonly string[]) {
    const erased = new Set(addresses.map((address) => address.toLowerCase()));
    const mails = [...this.mails.values()].filter(({ to }) => to.some((address) => erased.has(address.toLowerCase())));
    for (const { id } of mails) this.mails.delete(id);
    await Promise.all(mails.map(async ({ id }) => this.files?.remove(id)));
    return mails.length;
  }

  /** Closes the connections and clears the mails in memory; files remain. */
  async close() {
    await new Promise<void>((resolve) => this.server.close(resolve));
    this.mails.clear();
  }

  private async restore() {
    for (const mail of (await this.files?.readAll()) ?? []) {
      this.lastId = Number(mail.id);
      this.mails.set(mail.id, mail);
    }
    await this.removeOldest();
  }

  private async receive(stream: SMTPServerDataStream, { envelope }: SMTPServerSession) {
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
    // Added before the file is written: mails received at once stay in the order of their ids.
    this.mails.set(mail.id, mail);
    try {
      await this.files?.write(mail);
    } catch (error) {
      this.mails.delete(mail.id);
      throw error;
    }
    // Removed while its file was being written.
    if (!this.mails.has(mail.id)) await this.files?.remove(mail.id);
    await this.removeOldest();
  }

  private async removeOldest() {
    for (const id of this.mails.keys()) {
      const bytes = [...this.mails.values()].reduce((sum, { raw }) => sum + raw.length, 0);
      const fits = this.mails.size <= this.options.mailsMax && bytes <= this.options.bytesMax;
      if (fits || this.mails.size === 1) return;
      this.mails.delete(id);
      await this.files?.remove(id);
    }
  }
}
