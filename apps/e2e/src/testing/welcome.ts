import type { Program } from './program';

interface MailboxMail {
  to: string[];
  subject: string;
  text: string;
}

/** The welcome text of a ready program. */
export class Welcome {
  constructor(private readonly text: string) {}

  get url(): string {
    return this.find(/is ready\s+(http\S+)/);
  }

  get key(): string {
    return this.find(/API key\s+(\S+)/);
  }

  /** Without its code. */
  get console(): string {
    return this.find(/Console\s+(http\S+)#code=/);
  }

  get mailbox(): string {
    return this.find(/Mailbox\s+(http\S+)/);
  }

  /** The curl command as printed, line breaks included. */
  get curl(): string {
    return this.find(/^\s*(curl [\s\S]*?\}')$/m);
  }

  private find(pattern: RegExp): string {
    const found = pattern.exec(this.text)?.[1];
    if (!found) throw new Error(`${String(pattern)} is not in the output:\n${this.text}`);
    return found;
  }
}

/** The welcome text of a program, once it is ready. @param timeoutMs default: that of `prints` */
export async function welcomeOf(program: Program, timeoutMs?: number): Promise<Welcome> {
  await program.prints(/curl [\s\S]*\}'\n/, timeoutMs === undefined ? {} : { timeoutMs });
  return new Welcome(program.stdout);
}

/** The mails in the development mailbox at this address. */
export async function mailsIn(mailbox: string): Promise<MailboxMail[]> {
  const response = await fetch(mailbox, { headers: { accept: 'application/json' } });
  return ((await response.json()) as { results: MailboxMail[] }).results;
}
