import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import { monotonicMs } from './clock';
import { serve } from './worker';

/** A longer mail ends its connection; no bench sends one. */
const MAIL_CHARACTERS_MAX = 1_048_576;
/** How a bench marks its mails: `#<run>-<number>#` in the subject. */
const MARK = /^Subject: [^\r]*#(\d+)-(\d+)#/im;
const END_OF_MAIL = '\r\n.\r\n';
const GREETING = '220 sink.invalid ESMTP\r\n';
const CAPABILITIES = '250-sink.invalid\r\n250-PIPELINING\r\n250-SIZE 33554432\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n';

export interface SinkRun {
  run: number;
  /** Highest number of mails in the run. */
  mails: number;
}

export interface SinkResult {
  /** When each mail of the run was first complete, by `monotonicMs()`; 0 for missing mails. */
  receivedAt: Float64Array;
  /** Mails received at least once. */
  received: number;
  /** Copies beyond the first. */
  copies: number;
  /** Connections open now. */
  connections: number;
}

/** Commands of the sink's process. */
export type SinkCommands = {
  listen(options: { latencyMs: number }): Promise<{ port: number }>;
  begin(run: SinkRun): void;
  /** Resolves when `mails` mails of the run were received, or after `limitMs`. */
  wait(options: { mails: number; limitMs: number }): Promise<{ received: number }>;
  result(_: null): SinkResult;
};

let expected: SinkRun = { run: -1, mails: 0 };
let receivedAt = new Float64Array(0);
let received = 0;
let copies = 0;
let connections = 0;
let latencyMs = 0;
let waiting: { mails: number; done: () => void } | undefined;

function record(mail: string): void {
  const match = MARK.exec(mail);
  if (!match || Number(match[1]) !== expected.run) return;
  const number = Number(match[2]);
  if (number >= expected.mails) return;
  if (receivedAt[number] !== 0) {
    copies += 1;
    return;
  }
  receivedAt[number] = monotonicMs();
  received += 1;
  if (waiting && received >= waiting.mails) waiting.done();
}

/** One client connection. Accepts every command that senders use, pipelined or not. */
class Connection {
  private text = '';
  private searchedTo = 0;
  private inMail = false;
  private delayed = false;
  private quitting = false;

  constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (piece: string) => this.receive(piece));
    socket.on('error', () => socket.destroy());
    connections += 1;
    socket.on('close', () => (connections -= 1));
    socket.write(GREETING);
  }

  private receive(piece: string): void {
    this.text += piece;
    if (this.text.length > MAIL_CHARACTERS_MAX) {
      this.socket.destroy();
      return;
    }
    if (!this.delayed) this.work();
  }

  private work(): void {
    let answers = '';
    for (;;) {
      const answer = this.inMail ? this.endMail() : this.command();
      if (answer === undefined) break;
      answers += answer;
      if (this.delayed) {
        setTimeout(() => this.release(answers), latencyMs);
        return;
      }
    }
    if (this.quitting) this.socket.end(answers);
    else if (answers) this.socket.write(answers);
  }

  private release(answers: string): void {
    this.delayed = false;
    if (this.socket.destroyed) return;
    this.socket.write(answers);
    this.work();
  }

  private endMail(): string | undefined {
    const end = this.text.indexOf(END_OF_MAIL, this.searchedTo);
    if (end < 0) {
      this.searchedTo = Math.max(0, this.text.length - END_OF_MAIL.length);
      return undefined;
    }
    record(this.text.slice(0, end));
    this.text = this.text.slice(end + END_OF_MAIL.length);
    this.searchedTo = 0;
    this.inMail = false;
    this.delayed = latencyMs > 0;
    return '250 2.0.0 queued\r\n';
  }

  private command(): string | undefined {
    const end = this.text.indexOf('\r\n');
    if (end < 0) return undefined;
    const verb = this.text.slice(0, 4).toUpperCase();
    this.text = this.text.slice(end + 2);
    switch (verb) {
      case 'EHLO':
        return CAPABILITIES;
      case 'DATA':
        this.inMail = true;
        return '354 go on\r\n';
      case 'QUIT':
        this.quitting = true;
        return '221 2.0.0 bye\r\n';
      default:
        return '250 2.0.0 ok\r\n';
    }
  }
}

let server: Server | undefined;

serve<SinkCommands>(
  {
    listen: async (options) => {
      latencyMs = options.latencyMs;
      const listening = createServer((socket) => new Connection(socket));
      server = listening;
      await new Promise<void>((resolve, reject) => {
        listening.once('error', reject);
        listening.listen({ port: 0, host: '127.0.0.1', backlog: 512 }, resolve);
      });
      return { port: (listening.address() as AddressInfo).port };
    },
    begin: (run) => {
      expected = run;
      receivedAt = new Float64Array(run.mails);
      received = 0;
      copies = 0;
    },
    wait: async ({ mails, limitMs }) => {
      if (received < mails) {
        await new Promise<void>((resolve) => {
          const limit = setTimeout(resolve, limitMs);
          waiting = {
            mails,
            done: () => {
              clearTimeout(limit);
              resolve();
            },
          };
        });
        waiting = undefined;
      }
      return { received };
    },
    result: () => ({ receivedAt, received, copies, connections }),
  },
  () => void server?.close(),
);
