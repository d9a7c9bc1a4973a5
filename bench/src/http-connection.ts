import { createConnection, type Socket } from 'node:net';

const END_OF_HEAD = '\r\n\r\n';
const ANSWER_CHARACTERS_MAX = 1_048_576;

/** A keep-alive HTTP/1.1 connection for one request at a time; minimal, to leave the CPU to the server. */
export class HttpConnection {
  private socket?: Socket;
  private text = '';
  private pending?: { resolve(status: number): void; reject(error: Error): void };

  constructor(
    private readonly host: string,
    private readonly port: number,
  ) {}

  /** Connects unless it is connected; resolves with true. */
  async connect(): Promise<true> {
    if (!this.socket) await this.open();
    return true;
  }

  /** Sends the bytes of a request; resolves with the status of its answer. Reconnects when the server closed. */
  async send(request: string): Promise<number> {
    const socket = this.socket ?? (await this.open());
    return new Promise((resolve, reject) => {
      this.pending = { resolve, reject };
      socket.write(request);
    });
  }

  close(): void {
    this.socket?.destroy();
  }

  private open(): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = createConnection({ host: this.host, port: this.port, noDelay: true });
      socket.setEncoding('latin1');
      socket.once('error', reject);
      socket.once('connect', () => {
        this.socket = socket;
        this.text = '';
        resolve(socket);
      });
      socket.on('data', (piece: string) => this.receive(piece));
      socket.on('error', (error) => this.disconnect(socket, error));
      socket.on('close', () => this.disconnect(socket, new Error('The server closed the connection')));
    });
  }

  private receive(piece: string): void {
    this.text = this.text ? this.text + piece : piece;
    const headEnd = this.text.indexOf(END_OF_HEAD);
    if (headEnd < 0) {
      if (this.text.length > ANSWER_CHARACTERS_MAX) this.socket?.destroy(new Error('The answer is too long'));
      return;
    }
    const head = this.text.slice(0, headEnd).toLowerCase();
    const length = lengthOf(head);
    if (length === undefined) {
      this.socket?.destroy(new Error('The answer has no Content-Length'));
      return;
    }
    if (this.text.length < headEnd + END_OF_HEAD.length + length) return;
    this.text = '';
    const { pending } = this;
    this.pending = undefined;
    if (head.includes('\r\nconnection: close')) {
      this.socket?.destroy();
      this.socket = undefined;
    }
    pending?.resolve(Number(head.slice('http/1.1 '.length, 'http/1.1 '.length + 3)));
  }

  private disconnect(socket: Socket, error: Error): void {
    if (socket !== this.socket) return;
    this.socket = undefined;
    const { pending } = this;
    this.pending = undefined;
    pending?.reject(error);
  }
}

function lengthOf(head: string): number | undefined {
  const NAME = '\r\ncontent-length:';
  const at = head.indexOf(NAME);
  if (at >= 0) return Number.parseInt(head.slice(at + NAME.length), 10);
  return head.startsWith('http/1.1 204') ? 0 : undefined;
}
