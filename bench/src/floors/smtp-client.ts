import { type Socket, connect } from 'node:net';
import { MAIL_HTML, MAIL_TEXT, markOf } from '../send-request';
import { serve } from '../worker';
import { type MailResult, type MailRun, runMails } from './mail-run';

export type SmtpClientCommands = { send(run: MailRun): Promise<MailResult> };

const BOUNDARY = '=_bench';
const PARTS =
  `--${BOUNDARY}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${MAIL_TEXT}\r\n` +
  `--${BOUNDARY}\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${MAIL_HTML}\r\n--${BOUNDARY}--\r\n.\r\n`;

/** The minimal sender: each mail is one prepared text, three commands are pipelined, the connection is kept alive. */
class SmtpConnection {
  private text = '';
  private answered?: { resolve(answer: string): void; reject(error: Error): void };

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('latin1');
    socket.on('data', (piece: string) => {
      this.text += piece;
      this.deliverLine();
    });
    socket.on('error', (error) => this.answered?.reject(error));
    socket.on('close', () => this.answered?.reject(new Error('The server closed the connection')));
  }

  static async open(port: number): Promise<SmtpConnection> {
    const connection = new SmtpConnection(connect({ host: '127.0.0.1', port, noDelay: true }));
    await connection.answer();
    connection.socket.write('EHLO bench.invalid\r\n');
    await connection.answer();
    return connection;
  }

  async send(run: number, number: number): Promise<void> {
    this.socket.write(`MAIL FROM:<bench@example.org>\r\nRCPT TO:<user-${number}@example.com>\r\nDATA\r\n`);
    for (const code of ['250', '250', '354']) await this.expect(code);
    const head =
      `From: bench@example.org\r\nTo: user-${number}@example.com\r\nSubject: Your order is on its way ${markOf(run, number)}\r\n` +
      `Message-ID: <${run}-${number}@example.org>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary="${BOUNDARY}"\r\n\r\n`;
    this.socket.write(head + PARTS);
    await this.expect('250');
  }

  close(): void {
    this.socket.destroy();
  }

  private async expect(code: string): Promise<void> {
    const answer = await this.answer();
    if (!answer.startsWith(code)) throw new Error(`The server answered ${answer}`);
  }

  private answer(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.answered = { resolve, reject };
      this.deliverLine();
    });
  }

  /** Resolves the pending answer with its last line once that is complete. */
  private deliverLine(): void {
    while (this.answered) {
      const end = this.text.indexOf('\r\n');
      if (end < 0) return;
      const line = this.text.slice(0, end);
      this.text = this.text.slice(end + 2);
      if (line[3] === '-') continue;
      const { resolve } = this.answered;
      this.answered = undefined;
      resolve(line);
    }
  }
}

async function send(run: MailRun): Promise<MailResult> {
  const connections: SmtpConnection[] = [];
  try {
    for (let count = 0; count < run.connections; count++) connections.push(await SmtpConnection.open(run.port));
    return await runMails(run, (number, lane) => connections[lane]!.send(run.run, number));
  } finally {
    for (const connection of connections) connection.close();
  }
}

serve<SmtpClientCommands>({ send });
