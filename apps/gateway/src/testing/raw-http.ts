import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A raw connection, for requests that no HTTP client would send. */
export class RawConnection {
  private readonly socket: Socket;
  private received = Buffer.alloc(0);
  private ended = false;
  private wake: () => void = () => undefined;

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    const end = (): void => {
      this.ended = true;
      this.wake();
    };
    this.socket.on('data', (chunk) => {
      this.received = Buffer.concat([this.received, chunk]);
      this.wake();
    });
    this.socket.on('end', end).on('close', end).on('error', end);
  }

  write(data: string | Buffer): void {
    this.socket.write(data);
  }

  /** The next answer; rejects when the connection ends without one. `head`: the answer has no body. */
  async answer({ head = false } = {}): Promise<RawAnswer> {
    for (;;) {
      const answer = this.parseAnswer(head);
      if (answer) return answer;
      if (this.ended) throw new Error(`The connection ended; received so far: ${this.received.toString()}`);
      await new Promise<void>((wake) => (this.wake = wake));
    }
  }

  /** Resolves when the peer closed the connection. */
  async closed(): Promise<void> {
    while (!this.ended) await new Promise<void>((wake) => (this.wake = wake));
  }

  destroy(): void {
    this.socket.destroy();
  }

  private parseAnswer(head: boolean): RawAnswer | undefined {
    const end = this.received.indexOf('\r\n\r\n');
    if (end === -1) return undefined;
    const [statusLine = '', ...lines] = this.received.subarray(0, end).toString('latin1').split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const length = head ? 0 : Number(headers['content-length'] ?? 0);
    if (this.received.length < end + 4 + length) return undefined;
    const body = this.received.subarray(end + 4, end + 4 + length).toString();
    this.received = this.received.subarray(end + 4 + length);
    return { status: Number(statusLine.split(' ')[1]), headers, body };
  }
}

/** Sends `text` on a new connection and returns the answer. */
export async function rawRequest(port: number, text: string, options?: { head?: boolean }): Promise<RawAnswer> {
  const connection = new RawConnection(port);
  try {
    connection.write(text);
    return await connection.answer(options);
  } finally {
    connection.destroy();
  }
}
