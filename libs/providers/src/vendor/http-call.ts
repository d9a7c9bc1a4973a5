import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Connection } from './http-connections';

/** Bytes of an answer that are read; the rest is dropped. */
export const ANSWER_BYTES_MAX = 64 * 1024;

/** A receiver's answer, as far as it is used. */
export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case; of a header that is there several times, the first. */
  readonly headers: IncomingHttpHeaders;
  /** The first 64 KB. */
  readonly body: string;
}

/** What gives a call its connection. */
export interface Carrier {
  /** Starts the call on a connection, as soon as one is free. */
  carry(call: HttpCall): void;
  /** The call has ended, and with it the use of the connection. */
  release(connection: Connection): void;
}

/** Codes of errors by which a connection was closed by its other side. */
const CLOSED = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** One request and its answer: undici's options and handler in one object. */
export class HttpCall implements Dispatcher.DispatchOptions, Dispatcher.DispatchHandler {
  /** The connection is established, TLS included. */
  isConnected = false;
  private connection?: Connection;
  private controller?: Dispatcher.DispatchController;
  private resolve?: (answer: HttpAnswer) => void;
  private reject?: (error: Error) => void;
  private ended?: Error;
  private isReused = false;
  private isRepeated = false;
  private status = 0;
  private received: IncomingHttpHeaders = {};
  private readonly chunks: Buffer[] = [];
  private bytes = 0;

  /** @param path with the query. @param reset the connection is not used again. */
  constructor(
    readonly path: string,
    readonly method: string,
    readonly headers: Record<string, string>,
    readonly body: string | Uint8Array | undefined,
    readonly reset: boolean,
    private readonly carrier: Carrier,
    private readonly encoding: 'utf8' | 'latin1' = 'utf8',
  ) {}

  /**
   * Makes the request and resolves with its answer, whatever the status; redirects are not followed. Rejects with the error of the
   * network, or of `end`. A reused connection that the receiver had closed is replaced once: it carried no answer.
   */
  answer(): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      if (this.ended) return reject(this.ended);
      this.resolve = resolve;
      this.reject = reject;
      this.carrier.carry(this);
    });
  }

  /** Ends the call at once, at any stage; what was not sent yet is not sent. */
  end(why: string): void {
    this.ended = new Error(why);
    this.reject?.(this.ended);
    if (this.controller) this.controller.abort(this.ended);
    else void this.connection?.destroy();
  }

  /** For the carrier. */
  start(connection: Connection): void {
    if (this.ended) return this.carrier.release(connection);
    this.connection = connection;
    connection.dispatch(this, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    this.isConnected = true;
    this.isReused = this.connection!.answers > 0;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.status = status;
    this.received = firstOfEach(headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    if (this.bytes < ANSWER_BYTES_MAX) return;
    this.succeed();
    controller.abort(new Error('The answer is too long')); // closes the connection with the rest of the answer
  }

  onResponseEnd(): void {
    this.connection!.answers += 1;
    this.succeed();
    this.carrier.release(this.connection!);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: NodeJS.ErrnoException): void {
    const isStale = this.isReused && this.status === 0 && !this.ended && CLOSED.has(error.code ?? '');
    if (isStale && !this.isRepeated) {
      this.isRepeated = true;
      return void this.connection!.dispatch(this, this);
    }
    this.reject!(error);
    this.carrier.release(this.connection!);
  }

  private succeed() {
    const { chunks, status, received: headers } = this;
    const bytes = chunks.length > 1 ? Buffer.concat(chunks) : chunks[0];
    this.resolve!({ status, headers, body: bytes?.toString(this.encoding, 0, ANSWER_BYTES_MAX) ?? '' });
  }
}

/** undici has an array for a header that is there several times. */
function firstOfEach(headers: IncomingHttpHeaders) {
  for (const name in headers) {
    const value = headers[name];
    if (Array.isArray(value)) headers[name] = value[0];
  }
  return headers;
}
