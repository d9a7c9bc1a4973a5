import type { Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { NoAllowedAddress } from '../http/guard/address-guard';
import { oneLine } from '../one-line';
import { type Reply, SmtpError, type SmtpErrorKind, type Stage } from './smtp-error';

/** The server's extensions, by its reply to the last EHLO. */
interface Capabilities {
  readonly pipelining: boolean;
  readonly smtpUtf8: boolean;
  readonly startTls: boolean;
  readonly authMechanisms: ReadonlySet<string>;
  /** Present when the server supports `SIZE=`; a limit of 0 accepts any size. */
  readonly size?: { readonly limit: number };
}

const NO_CAPABILITIES: Capabilities = { pipelining: false, smtpUtf8: false, startTls: false, authMechanisms: new Set() };
const REPLY_CHARS_MAX = 64 * 1024;
const QUIT_WAIT_MS = 1_000;

/** The text to send (one character per byte, '' to only listen), and the stage to which its reply belongs. */
export type Command = readonly [stage: Stage, text: string];

interface Exchange {
  readonly stages: readonly Stage[];
  readonly replies: Reply[];
  readonly resolve: (replies: Reply[]) => void;
  readonly reject: (error: SmtpError) => void;
}

/**
 * One conversation with a mail server: commands are sent in groups, their replies arrive in order. It does not interpret the
 * commands. One group is open at a time.
 */
export class SmtpConnection {
  capabilities = NO_CAPABILITIES;
  /** Mails started on this connection. */
  mails = 0;
  /** The last transaction did not end in an acceptance, so the next one begins with RSET. */
  needsReset = false;
  /** Ends its idle time. */
  idleTimer?: NodeJS.Timeout;
  /** Called once, when the connection can carry no further command. */
  onClosed: () => void = () => undefined;

  private received = '';
  private exchanging?: Exchange;
  private stage: Stage = 'connecting';
  private failure?: SmtpError;

  constructor(private socket: Socket) {
    this.listen(socket);
  }

  get isOpen(): boolean {
    return this.failure === undefined;
  }

  /** Resolves once TCP (and TLS, for a TLS socket) is up. */
  connected(event: 'connect' | 'secureConnect', stage: Stage = 'connecting'): Promise<void> {
    return new Promise((resolve, reject) => {
      this.exchanging = { stages: [stage], replies: [], resolve: () => resolve(), reject };
      this.socket.once(event, () => {
        this.exchanging = undefined;
        resolve();
      });
    });
  }

  /** Sends one command and resolves with its reply, as `exchange`. */
  async send(...command: Command): Promise<Reply> {
    const [reply] = await this.exchange([command]);
    return reply as Reply;
  }

  /**
   * Sends a group of commands and resolves with one reply for each. After a 421 the server sends no more, so the replies end
   * there. Rejects with `SmtpError` when the connection ends first; the error names the stage whose reply is missing.
   */
  exchange(commands: readonly Command[]): Promise<Reply[]> {
    const stages = commands.map(([stage]) => stage);
    // The connection may have ended at a stage of another mail; the error names the stage of this one.
    if (this.failure) return Promise.reject(new SmtpError(this.failure.kind, stages[0] as Stage, this.failure.message));
    return new Promise((resolve, reject) => {
      this.exchanging = { stages, replies: [], resolve, reject };
      const text = commands.map((command) => command[1]).join('');
      if (text) this.socket.write(text, 'latin1');
      if (this.received) this.read('');
    });
  }

  /** Continues the conversation inside TLS and drops the earlier capabilities. Fails when the server sent text after its reply. */
  async startTls(options: ConnectionOptions): Promise<void> {
    this.stage = 'STARTTLS';
    if (this.received) {
      // Text after the reply would otherwise be read as if it came through TLS (RFC 3207, section 5).
      throw this.fail('lost', 'the server sent more before TLS began');
    }
    const plain = this.socket;
    plain.removeAllListeners();
    plain.on('error', () => undefined);
    this.capabilities = NO_CAPABILITIES;
    this.socket = connectTls({ ...options, socket: plain });
    this.listen(this.socket);
    await this.connected('secureConnect', 'STARTTLS');
  }

  /** Ends the connection at once; an open exchange rejects with this error, which names the reached stage. */
  fail(kind: SmtpErrorKind, message: string): SmtpError {
    const { exchanging } = this;
    this.exchanging = undefined;
    const error = new SmtpError(kind, exchanging?.stages[exchanging.replies.length] ?? this.stage, message);
    if (!this.failure) {
      this.failure = error;
      this.socket.destroy();
      this.onClosed();
    }
    exchanging?.reject(error);
    return error;
  }

  /** Sends QUIT; resolves when the socket is closed, after 1 s at most. */
  async quit(): Promise<void> {
    if (this.failure) return;
    this.failure = new SmtpError('lost', this.stage, 'the connection was closed by this side');
    this.onClosed();
    const { socket } = this;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => socket.destroy(), QUIT_WAIT_MS);
      socket.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
      socket.end('QUIT\r\n');
    });
  }

  private listen(socket: Socket) {
    socket.on('data', (chunk: Buffer) => this.read(chunk.toString('latin1')));
    socket.on('end', () => this.fail('lost', 'the server closed the connection'));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      const untrusted = (socket as Partial<TLSSocket>).authorizationError;
      if (error instanceof NoAllowedAddress) this.fail('lost', error.message);
      else if (untrusted) this.fail('certificate', `the server's certificate is not trusted: ${error.message}`);
      else this.fail('lost', describe(error));
    });
    socket.on('close', () => this.fail('lost', 'the connection was closed'));
  }

  private read(text: string) {
    if (this.failure) return;
    this.received += text;
    while (this.exchanging) {
      // The last line is unfinished. All lines of a reply but its last one have a hyphen behind the code.
      const lines = this.received.split('\n');
      const last = lines.slice(0, -1).findIndex((line) => !/^[2-5]\d\d-/.test(line));
      if (last < 0) break;
      this.received = lines.slice(last + 1).join('\n');
      this.accept(
        this.exchanging,
        lines.slice(0, last + 1).map((line) => line.replace(/\r$/, '')),
      );
    }
    if (this.received.length > REPLY_CHARS_MAX) this.fail('lost', 'the server does not end its reply');
    // After the greeting, a server sends text without a command only to close (421). `startTls` checks text after its reply.
    else if (this.received && !this.exchanging && this.stage !== 'connecting' && this.stage !== 'STARTTLS') {
      this.fail('lost', `the server sent ${printable(this.received)}`);
    }
  }

  private accept(exchanging: Exchange, lines: string[]) {
    const line = lines.at(-1)!;
    if (!/^[2-5]\d\d( |$)/.test(line)) return this.fail('lost', `the server answered without a reply code: ${printable(line)}`);
    const reply = toReply(lines);
    exchanging.replies.push(reply);
    this.stage = exchanging.stages[exchanging.replies.length - 1] ?? this.stage;
    if (reply.code !== 421 && exchanging.replies.length < exchanging.stages.length) return;
    this.exchanging = undefined;
    exchanging.resolve(exchanging.replies);
    if (reply.code === 421) this.fail('lost', 'the server closes the connection');
  }
}

function toReply(lines: readonly string[]) {
  const [first = ''] = lines;
  const status = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})(?:\s|$)/.exec(first)?.[1];
  return { code: Number(first.slice(0, 3)), status, line: printable(lines.join(' ')), lines };
}

/** Server text for people: decoded, on one line, without control characters, bounded. */
function printable(bytes: string) {
  const text = /[\x80-\xff]/.test(bytes) ? Buffer.from(bytes, 'latin1').toString() : bytes;
  return oneLine(text.slice(0, 1_000)).trim();
}

function describe(error: NodeJS.ErrnoException) {
  const inner = (error as { errors?: Error[] }).errors;
  return inner?.length ? inner.map(({ message }) => message).join('; ') : error.message || (error.code ?? 'the connection broke');
}
