import { setMaxListeners } from 'node:events';
import { withLimit } from '@tidings/contracts/core/with-limit';
import { LRUCache } from 'lru-cache';
import { buildConnector, type Client } from 'undici';
import { type AddressGuard, AddressRefused, NoAllowedAddress } from '../http/guard/address-guard';
import { type Failed, failed, type Retry, retry } from '../provider';
import { type HttpAnswer, HttpCall } from './http-call';
import { ReusedConnections, SingleConnections } from './http-connections';
import { ignoreContinue } from './ignore-continue';

/** The default time limit of a whole call. */
export const TIMEOUT_MS = 10_000;
const IDLE_MS = 30_000;
/** Origins with kept connections: recipients can name any number of them. */
const ORIGINS_MAX = 100;
/** Headers of every request, unless it has others. */
export const OWN_HEADERS = { 'user-agent': 'tidings', 'accept-encoding': 'identity' } as const;

export interface ClientOptions {
  readonly guard: AddressGuard;
  /** For a whole call, the wait for a connection included. Default 10 s. */
  readonly timeoutMs?: number;
}

/** A request, complete. */
export interface ClientRequest {
  /** Not to be changed: several requests may share it. */
  readonly url: URL;
  /** Instead of that of `url`. */
  readonly path?: string;
  readonly method: string;
  /** Not to be changed either. */
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: none, as with GET. */
  readonly body?: string | Uint8Array;
  /** As in `VendorRequest`, for its signer. */
  readonly audience?: string;
  /** The connection is not used again: that of a receiver of one recipient. */
  readonly once?: boolean;
  /** How the bytes of its answer become text. Default: UTF-8. */
  readonly encoding?: 'latin1';
}

/** What makes a vendor's calls: `HttpClient`, or one of a vendor with another protocol, such as HTTP/2. */
export interface Transport {
  /**
   * Makes one request. Resolves with its answer, whatever the status, or with the outcome of a call without an answer. Never rejects for
   * a fault of network or receiver, and ends in bounded time, at once when `signal` aborts.
   */
  request(request: ClientRequest, signal?: AbortSignal): Promise<HttpAnswer | Retry | Failed>;
  /** Closes every connection; called when no request is open. */
  close(): void | Promise<void>;
}

/** HTTP over kept connections to the hosts that the guard allows; follows no redirect, reads at most 64 KB of an answer. */
export class HttpClient implements Transport {
  /** By origin. */
  private readonly reused = new LRUCache<string, ReusedConnections>({ max: ORIGINS_MAX, dispose: (connections) => connections.retire() });
  private readonly targets = new WeakMap<URL, Target>();
  /** With ours, by those of a request: they are most often the same. */
  private readonly headers = new WeakMap<ClientRequest['headers'], Record<string, string>>();
  private readonly closing = new AbortController();
  private readonly connections = this.connectionOptions();

  constructor(private readonly options: ClientOptions) {}

  request(
    { url, path: ofRequest, method, headers, body, once = false, encoding }: ClientRequest,
    signal?: AbortSignal,
  ): Promise<HttpAnswer | Retry | Failed> {
    const { timeoutMs = TIMEOUT_MS } = this.options;
    try {
      const { origin, path } = this.targetOf(url);
      const carrier = once ? new SingleConnections(origin, this.connections) : this.reusedTo(origin);
      return answerOf(new HttpCall(ofRequest ?? path, method, this.withOwn(headers), body, once, carrier, encoding), timeoutMs, signal);
    } catch (error) {
      return Promise.resolve(unreached(error as Error));
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.reused.values()].map((connections) => connections.close()));
    this.closing.abort();
  }

  /** @throws AddressRefused for a host that the guard does not allow. */
  private targetOf(url: URL): Target {
    let target = this.targets.get(url);
    if (!target) {
      this.options.guard.assertHost(url.hostname);
      target = { origin: url.origin, path: `${url.pathname}${url.search}` };
      this.targets.set(url, target);
    }
    return target;
  }

  private withOwn(headers: ClientRequest['headers']) {
    let all = this.headers.get(headers);
    if (!all) this.headers.set(headers, (all = Object.assign({}, OWN_HEADERS, headers)));
    return all;
  }

  private reusedTo(origin: string) {
    let connections = this.reused.get(origin);
    if (!connections) this.reused.set(origin, (connections = new ReusedConnections(origin, this.connections)));
    return connections;
  }

  private connectionOptions(): Client.Options {
    const { guard, timeoutMs = TIMEOUT_MS } = this.options;
    const { signal } = this.closing;
    setMaxListeners(0, signal); // every connection adds one
    // A connection that is never established ends after its call.
    const connect = buildConnector({ lookup: guard.lookup, timeout: timeoutMs + 1_000, signal });
    return {
      connect: (options, done) =>
        connect(options, (error, socket) => {
          if (error) return done(error, null);
          ignoreContinue(socket);
          done(null, socket);
        }),
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      // The limit of the whole call ends these waits.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
  }
}

/** The parts of a URL that a request needs; its host is allowed. */
interface Target {
  readonly origin: string;
  readonly path: string;
}

/** A call whose limits end it. */
export interface LimitedCall {
  readonly isConnected: boolean;
  answer(): Promise<HttpAnswer>;
  /** Ends it at once. */
  end(why: string): void;
}

/** The answer of a call, or the outcome of one without an answer: at the time limit, or when the signal aborts, it is ended. */
export async function answerOf(call: LimitedCall, timeoutMs: number, signal?: AbortSignal): Promise<HttpAnswer | Retry | Failed> {
  let ended: 'timeout' | 'aborted' | undefined;
  const end = (why: 'timeout' | 'aborted') => {
    ended = why;
    call.end(why);
  };
  try {
    return await withLimit({ timeoutMs, signal }, end, () => call.answer());
  } catch (error) {
    if (ended === 'timeout') return unanswered(timeoutMs, call.isConnected);
    if (ended === 'aborted') return retry('The call was aborted before its answer');
    return unreached(error as NodeJS.ErrnoException);
  }
}

/** The outcome of a call that was not answered in time. */
function unanswered(timeoutMs: number, isConnected: boolean): Retry {
  // A connected receiver that does not answer may accept other messages; one without a connection accepts none.
  return retry(`The receiver did not answer within ${timeoutMs} ms`, isConnected ? { hung: true } : { outage: true });
}

/** Error codes of TLS for certificates that are not trusted. */
const CERTIFICATE_CODE = /CERT|SELF_SIGNED|UNABLE_TO_/;
/** Codes of undici, by the names that Node.js has for the same. */
const CODES: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'ECONNRESET',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'ECONNRESET',
  UND_ERR_HEADERS_OVERFLOW: 'HPE_HEADER_OVERFLOW',
};

/** The outcome without an answer. It omits the error's own text, which may contain internal addresses. */
function unreached(error: NodeJS.ErrnoException): Retry | Failed {
  if (error instanceof AddressRefused) return failed(error.message, 'configuration');
  if (error instanceof NoAllowedAddress) return retry(error.message, { outage: true });
  const code = error.code ?? error.name;
  if (CERTIFICATE_CODE.test(code)) return failed(`The receiver's certificate is not trusted (${code})`, 'configuration');
  return retry(`The receiver could not be reached (${CODES[code] ?? code})`, { outage: true });
}
