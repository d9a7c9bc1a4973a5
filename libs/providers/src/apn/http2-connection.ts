import {
  type ClientHttp2Session,
  connect,
  constants,
  type IncomingHttpHeaders,
  type SecureClientSessionOptions,
  type Settings,
} from 'node:http2';
import { ANSWER_BYTES_MAX, type HttpAnswer } from '../vendor/http-call';
import { OWN_HEADERS } from '../vendor/http-client';
import type { Http2Call } from './http2-call';

/** Concurrent requests of a connection, where the server allows more. */
const STREAMS_MAX = 1_000;

/** Type of the frame that begins a request. */
const HEADERS_FRAME = 1;
/** Codes of errors by which a session takes no request. */
const CLOSED_SESSION = new Set(['ERR_HTTP2_GOAWAY_SESSION', 'ERR_HTTP2_INVALID_SESSION']);

/** The server has not processed the request, so a repeat makes no second copy. */
export class NotProcessed extends Error {
  override readonly name = 'NotProcessed';

  constructor(readonly code: string) {
    super(`The request was not processed (${code})`);
  }
}

export interface ConnectionOptions {
  readonly tls?: SecureClientSessionOptions;
  /** For the connection, TLS and the server's first SETTINGS. */
  readonly connectMs: number;
  /** Pause between two pings. */
  readonly pingMs: number;
  /** The connection ends when a ping is not answered within this time. */
  readonly pongMs: number;
  /** The connection ends after this time without a request. */
  readonly idleMs: number;
}

/**
 * One HTTP/2 connection for many concurrent requests, at most as many as the server allows; further ones wait. After a GOAWAY it takes
 * no new request, and the open ones end.
 */
export class Http2Connection {
  /** Resolves once requests can be made; rejects with the error of a connection that was not established. */
  readonly ready: Promise<void>;
  /** Whether `ready` has resolved. */
  isReady = false;
  private readonly session: ClientHttp2Session;
  private readonly pinger: NodeJS.Timeout;
  private readonly waiting = new Set<() => void>();
  private streamsMax = 0;
  private streamCount = 0;
  private usedAt = performance.now();
  private pongTimer?: NodeJS.Timeout;
  private failure?: Error;
  /** The server has announced that it leaves the connection. */
  private isLeaving = false;
  /** The server has processed no stream beyond this one. */
  private lastStreamId = Infinity;

  constructor(
    origin: string,
    private readonly options: ConnectionOptions,
  ) {
    const { tls, connectMs, pingMs } = options;
    this.session = connect(origin, { ...tls, settings: { enablePush: false } });
    this.session.on('error', (error: Error) => (this.failure = error));
    this.session.on('goaway', (_code: number, lastStreamId: number) => {
      this.lastStreamId = lastStreamId;
      this.isLeaving = true;
      this.wake();
    });
    this.session.on('remoteSettings', ({ maxConcurrentStreams = STREAMS_MAX }: Settings) => {
      this.streamsMax = Math.min(maxConcurrentStreams, STREAMS_MAX);
      this.wake();
    });
    const connecting = setTimeout(() => this.session.destroy(errorOf('ETIMEDOUT')), connectMs);
    this.pinger = setInterval(() => this.keep(), pingMs).unref();
    this.session.once('close', () => {
      clearInterval(this.pinger);
      clearTimeout(this.pongTimer);
      this.wake();
    });
    this.ready = new Promise<void>((resolve, reject) => {
      this.session.once('remoteSettings', () => {
        this.isReady = true;
        resolve();
      });
      this.session.once('close', () => reject(this.failure ?? errorOf('ECONNRESET')));
    }).finally(() => clearTimeout(connecting));
    this.ready.catch(() => undefined);
  }

  /** Whether new requests can be made. */
  get isOpen(): boolean {
    return !this.isLeaving && !this.session.closed && !this.session.destroyed;
  }

  /**
   * Makes the request of a call, once the server allows it, and resolves with its answer. Rejects with `NotProcessed`, or with the error
   * of the network; in either way when the call ends before.
   */
  async answer(call: Http2Call): Promise<HttpAnswer> {
    if (this.waiting.size === 0 && this.hasPermit) this.streamCount += 1;
    else await this.permit(call);
    this.usedAt = performance.now();
    try {
      return await this.exchange(call);
    } finally {
      this.streamCount -= 1;
      this.wake();
    }
  }

  /** Ends the connection unless the server answers a ping in time. */
  check(): void {
    if (this.pongTimer !== undefined || this.session.destroyed || this.session.connecting) return;
    this.pongTimer = setTimeout(() => this.session.destroy(errorOf('ETIMEDOUT')), this.options.pongMs);
    this.session.ping(() => {
      clearTimeout(this.pongTimer);
      this.pongTimer = undefined;
    });
  }

  /** Ends the connection at once, with its open requests. */
  destroy(): void {
    this.session.destroy();
  }

  private keep() {
    if (this.streamCount === 0 && performance.now() - this.usedAt > this.options.idleMs) this.session.close();
    else this.check();
  }

  private get hasPermit() {
    return this.isOpen && this.streamCount < this.streamsMax;
  }

  /** Resolves with a permit, of which `streamCount` is raised. Rejects when the connection or the call ends first. */
  private permit(call: Http2Call) {
    return new Promise<void>((resolve, reject) => {
      const settle = () => {
        call.onEnd(undefined);
        this.waiting.delete(settle);
        if (call.ended !== undefined) return reject(errorOf('ABORT_ERR'));
        if (!this.isOpen) return reject(new NotProcessed('ERR_HTTP2_GOAWAY_SESSION'));
        this.streamCount += 1;
        resolve();
      };
      this.waiting.add(settle);
      if (this.isOpen) call.onEnd(settle);
      else settle();
    });
  }

  /** Lets as many waiting requests begin as there are permits; none waits for a closed connection. */
  private wake() {
    for (const settle of this.waiting) {
      if (this.isOpen && !this.hasPermit) return;
      settle();
    }
  }

  private exchange(call: Http2Call): Promise<HttpAnswer> {
    const { url, path = `${url.pathname}${url.search}`, method, headers, body } = call.request;
    return new Promise((resolve, reject) => {
      const stream = this.begin(Object.assign({ ':method': method, ':path': path }, OWN_HEADERS, headers));
      call.onEnd(() => {
        stream.close(constants.NGHTTP2_CANCEL);
        stream.destroy();
      });
      let answered: IncomingHttpHeaders | undefined;
      let failure: NodeJS.ErrnoException | undefined;
      let isSent = true;
      const chunks: Buffer[] = [];
      let bytes = 0;
      stream.on('response', (received) => (answered = received));
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes >= ANSWER_BYTES_MAX) stream.close(constants.NGHTTP2_CANCEL);
      });
      stream.on('frameError', (type) => (isSent &&= type !== HEADERS_FRAME));
      stream.on('error', (error: NodeJS.ErrnoException) => (failure = error));
      stream.on('close', () => {
        if (answered && call.ended === undefined) {
          const text = bytes === 0 ? '' : Buffer.concat(chunks).subarray(0, ANSWER_BYTES_MAX).toString();
          return resolve({ status: Number(answered[':status']), headers: answered, body: text });
        }
        const isRefused = !isSent || stream.rstCode === constants.NGHTTP2_REFUSED_STREAM || (stream.id ?? Infinity) > this.lastStreamId;
        if (isRefused && call.ended === undefined) return reject(new NotProcessed(failure?.code ?? 'ERR_HTTP2_STREAM_ERROR'));
        reject(failure ?? errorOf('ECONNRESET'));
      });
      stream.end(body);
    });
  }

  /** A new stream. @throws NotProcessed where the session takes none. */
  private begin(headers: Record<string, string>) {
    try {
      return this.session.request(headers);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw code !== undefined && CLOSED_SESSION.has(code) ? new NotProcessed(code) : error;
    }
  }
}

/** An error of the network with a code. */
export function errorOf(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}
