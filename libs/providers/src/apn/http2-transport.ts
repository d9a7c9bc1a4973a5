import type { SecureClientSessionOptions } from 'node:http2';
import type { HttpAnswer } from '../vendor/http-call';
import { answerOf, type ClientOptions, type ClientRequest, TIMEOUT_MS, type Transport } from '../vendor/http-client';
import type { Failed, Retry } from '../provider';
import { Http2Call } from './http2-call';
import { Http2Connection } from './http2-connection';

export interface Http2Options extends ClientOptions {
  /** See `ConnectionOptions`. */
  readonly pingMs?: number;
  readonly pongMs?: number;
  readonly idleMs?: number;
  /** For specs: the certificate authority of their server. */
  readonly tls?: Pick<SecureClientSessionOptions, 'ca'>;
}

const PING_MS = 30_000;
const PONG_MS = 5_000;
const IDLE_MS = 15 * 60_000;

/**
 * HTTP/2 over one kept connection per origin, to the hosts that the guard allows. A connection that the server ends is replaced: the open
 * requests end on the old one, and those that it did not process are made once more on the new one.
 */
export class Http2Transport implements Transport {
  private readonly connections = new Map<string, Http2Connection>();

  constructor(private readonly options: Http2Options) {}

  request(request: ClientRequest, signal?: AbortSignal): Promise<HttpAnswer | Retry | Failed> {
    return answerOf(new Http2Call(request, this.connectionTo), this.options.timeoutMs ?? TIMEOUT_MS, signal);
  }

  close(): void {
    for (const connection of this.connections.values()) connection.destroy();
    this.connections.clear();
  }

  private readonly connectionTo = ({ origin, hostname }: URL): Http2Connection => {
    const open = this.connections.get(origin);
    if (open?.isOpen) return open;
    const { guard, tls, timeoutMs = TIMEOUT_MS, pingMs = PING_MS, pongMs = PONG_MS, idleMs = IDLE_MS } = this.options;
    guard.assertHost(hostname);
    const made = new Http2Connection(origin, { tls: { ...tls, lookup: guard.lookup }, connectMs: timeoutMs, pingMs, pongMs, idleMs });
    this.connections.set(origin, made);
    return made;
  };
}
