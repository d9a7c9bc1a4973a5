import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type SecureServerOptions,
  type ServerHttp2Session,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Received } from './capturing-http';

/** Answers a request; `answer.stream` is its stream, `answer.stream.session` the connection. */
export type AnsweringHttp2 = (answer: Http2ServerResponse, received: Received) => void;

/** A real HTTP/2 server that records requests and answers as configured; by default 200 without a body. */
export class CapturingHttp2 {
  readonly received: Received[] = [];
  /** Every connection, closed ones included. */
  readonly sessions: ServerHttp2Session[] = [];
  /** Requests that are open now, and the most that were. */
  open = 0;
  openMax = 0;
  answering: AnsweringHttp2 = (answer) => answer.writeHead(200).end();

  private constructor(
    private readonly server: Http2Server | Http2SecureServer,
    private readonly scheme: 'http' | 'https',
  ) {
    server.on('session', (session) => {
      this.sessions.push(session);
      session.on('error', () => undefined);
    });
    server.on('request', (request: Http2ServerRequest, answer: Http2ServerResponse) => this.record(request, answer));
  }

  /** @param options with a certificate: over TLS. */
  static async start(options: SecureServerOptions = {}): Promise<CapturingHttp2> {
    const receiver = options.cert
      ? new CapturingHttp2(createSecureServer(options), 'https')
      : new CapturingHttp2(createServer(options), 'http');
    await new Promise<void>((resolve) => receiver.server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `${this.scheme}://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get connectionCount(): number {
    return this.sessions.length;
  }

  /** Sets the answer to all further requests. */
  answer(status: number, body: unknown = '', headers: Record<string, string> = {}): void {
    this.answering = (answer) => void answer.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  stop(): Promise<void> {
    for (const session of this.sessions) session.destroy();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private record(request: Http2ServerRequest, answer: Http2ServerResponse) {
    this.open += 1;
    this.openMax = Math.max(this.openMax, this.open);
    request.stream.on('error', () => undefined).once('close', () => (this.open -= 1));
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      const received = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
      this.received.push(received);
      this.answering(answer, received);
    });
  }
}
