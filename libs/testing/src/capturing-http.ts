import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A received request. */
export interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Answers a request. */
export type Answering = (answer: ServerResponse, received: Received) => void;

/** A real HTTP server that records requests and answers as configured; by default 200 without a body. */
export class CapturingHttp {
  readonly received: Received[] = [];
  /** The bodies of `received` as bytes. */
  readonly bodies: Buffer[] = [];
  connectionCount = 0;
  answering: Answering = (answer) => answer.writeHead(200).end();
  private readonly server = createServer((request, answer) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const body = Buffer.concat(chunks);
      const received = { method, url, headers, body: body.toString('utf8') };
      this.received.push(received);
      this.bodies.push(body);
      this.answering(answer, received);
    });
  });

  static async start(): Promise<CapturingHttp> {
    const receiver = new CapturingHttp();
    receiver.server.on('connection', () => (receiver.connectionCount += 1));
    await new Promise<void>((resolve) => receiver.server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  /** Sets the answer to all further requests. */
  answer(status: number, body: unknown = '', headers: Record<string, string> = {}): void {
    this.answering = (answer) => answer.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  /** Closes idle connections, as servers do after a while. */
  dropIdle(): void {
    this.server.closeIdleConnections();
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
