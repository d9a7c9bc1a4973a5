import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
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

/** Of a stream, while its request is open. */
const EXCHANGE = Symbol('exchange');

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
  lastStreamId = Infinity;

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
  answer(call: Http2Call): Promise<HttpAnswer> {
    if (this.waiting.size > 0 || !this.hasPermit) return this.permit(call).then(() => this.exchange(call));
    this.streamCount += 1;
    return this.exchange(call);
  }

  /** Ends the use of a permit. */
  release(): void {
    this.streamCount -= 1;
    this.wake();
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
    this.usedAt = performance.now();
    return new Promise((resolve, reject) => {
      const stream = this.begin(Object.assign({ ':method': method, ':path': path }, OWN_HEADERS, headers));
      stream[EXCHANGE] = new Exchange(call, this, resolve, reject);
      call.onEnd(() => {
        stream.close(constants.NGHTTP2_CANCEL);
        stream.destroy();
      });
      stream.on('response', onResponse).on('data', onData).on('frameError', onFrameError).on('error', onError).on('close', onClose);
      stream.end(body);
    });
  }

  /** A new stream, for a permit. @throws NotProcessed where the session takes none. */
  private begin(headers: Record<string, string>): ExchangeStream {
    try {
      return this.session.request(headers);
    } catch (error) {
      this.release();
      const { code } = error as NodeJS.ErrnoException;
      throw code !== undefined && CLOSED_SESSION.has(code) ? new NotProcessed(code) : error;
    }
  }
}

/** What is known of a request that is open, and who waits for its answer. */
class Exchange {
  answered?: IncomingHttpHeaders;
  failure?: NodeJS.ErrnoException;
  /** The frame that begins the request was not refused. */
  isSent = true;
  chunks?: Buffer[];
  bytes = 0;

  constructor(
    private readonly call: Http2Call,
    private readonly connection: Pick<Http2Connection, 'lastStreamId' | 'release'>,
    private readonly resolve: (answer: HttpAnswer) => void,
    private readonly reject: (error: Error) => void,
  ) {}

  /** The stream is closed. */
  end({ id = Infinity, rstCode }: ClientHttp2Stream): void {
    const { answered, failure, call } = this;
    call.onEnd(undefined);
    this.connection.release();
    if (call.ended !== undefined) return this.reject(failure ?? errorOf('ECONNRESET'));
    if (answered) return this.resolve({ status: Number(answered[':status']), headers: answered, body: this.text() });
    const isRefused = !this.isSent || rstCode === constants.NGHTTP2_REFUSED_STREAM || id > this.connection.lastStreamId;
    this.reject(isRefused ? new NotProcessed(failure?.code ?? 'ERR_HTTP2_STREAM_ERROR') : (failure ?? errorOf('ECONNRESET')));
  }

  private text() {
    return this.chunks ? Buffer.concat(this.chunks).subarray(0, ANSWER_BYTES_MAX).toString() : '';
  }
}

/**
 * A stream with its exchange, whose listeners are those of every stream. Node keeps a closed stream until the next full collection of
 * garbage: listeners of its own, with all that they refer to, would be moved by every collection until then.
 */
interface ExchangeStream extends ClientHttp2Stream {
  [EXCHANGE]?: Exchange;
}

function onResponse(this: ExchangeStream, received: IncomingHttpHeaders) {
  this[EXCHANGE]!.answered = received;
}

function onData(this: ExchangeStream, chunk: Buffer) {
  const exchange = this[EXCHANGE]!;
  (exchange.chunks ??= []).push(chunk);
  exchange.bytes += chunk.length;
  if (exchange.bytes >= ANSWER_BYTES_MAX) this.close(constants.NGHTTP2_CANCEL);
}

function onFrameError(this: ExchangeStream, type: number) {
  this[EXCHANGE]!.isSent &&= type !== HEADERS_FRAME;
}

function onError(this: ExchangeStream, error: NodeJS.ErrnoException) {
  const exchange = this[EXCHANGE];
  if (exchange) exchange.failure = error;
}

function onClose(this: ExchangeStream) {
  const exchange = this[EXCHANGE]!;
  this[EXCHANGE] = undefined;
  exchange.end(this);
}

/** An error of the network with a code. */
export function errorOf(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}
