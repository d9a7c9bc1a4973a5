import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A mail as the mailbox stores it. */
export interface StoredMail {
  /** A sequence number. */
  readonly id: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly receivedAt: Date;
  readonly raw: Buffer;
}

interface MailFile extends Omit<StoredMail, 'id' | 'receivedAt' | 'raw'> {
  readonly received_at: string;
  /** Base64, since a mail is bytes, not text. */
  readonly raw: string;
}

const FILE_NAME = /^([1-9]\d{0,14})\.json$/;
const OWNER_ONLY = { directory: 0o700, file: 0o600 };

/** The mails of a mailbox, one file each, so that they outlive its process. Readable by their owner only. */
export class MailFiles {
  private constructor(private readonly directory: string) {}

  static async open(directory: string) {
    await mkdir(directory, { recursive: true, mode: OWNER_ONLY.directory });
    return new MailFiles(directory);
  }

  /** Every mail, the oldest first. Removes damaged files, which a crash of the machine may leave. */
  async readAll() {
    const ids = (await readdir(this.directory)).flatMap((name) => FILE_NAME.exec(name)?.[1] ?? []);
    ids.sort((one, other) => Number(one) - Number(other));
    const mails: StoredMail[] = [];
    for (const id of ids) {
      const mail = parse(id, await readFile(this.fileOf(id), 'utf8'));
      if (mail) mails.push(mail);
      else await this.remove(id);
    }
    return mails;
  }

  async write({ id, from, to, receivedAt, raw }: StoredMail) {
    const content: MailFile = { from, to, received_at: receivedAt.toISOString(), raw: raw.toString('base64') };
    const draft = `${this.fileOf(id)}.new`;
    await writeFile(draft, JSON.stringify(content), { mode: OWNER_ONLY.file });
    await rename(draft, this.fileOf(id));
  }

  remove(id: string) {
    return rm(this.fileOf(id), { force: true });
  }

  private fileOf(id: string) {
    return path.join(this.directory, `${id}.json`);
  }
}

function parse(id: string, text: string): StoredMail | undefined {
  try {
    const { from, to, received_at, raw } = JSON.parse(text) as MailFile;
    return { id, from, to, receivedAt: new Date(received_at), raw: Buffer.from(raw, 'base64') };
  } catch {
    return undefined;
  }
}
