import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, ApiClient, type RequestOptions } from './api-client';

/** Interval of the health checks of a load balancer, in ms. */
const CHECK_MS = 250;
const CHECK_TIMEOUT_MS = 2_000;
/** Attempts of one request, each at another gateway. */
const ATTEMPTS_MAX = 4;
const RETRY_MS = 100;

/** A gateway behind the load balancer. */
export interface Backend {
  readonly url: string;
  /** Base URL of `/health/ready`. */
  readonly healthUrl: string;
}

/**
 * A client behind a load balancer: requests go to the ready gateways in rotation; one whose connection is refused or cut, or that is
 * answered with 503, goes to the next.
 */
export class BalancedClient extends ApiClient {
  private readonly backends = new Map<Backend, boolean>();
  private readonly checking: Promise<void>;
  private readonly closed = new AbortController();
  private next = 0;
  /** Requests that needed more than one attempt. */
  retried = 0;

  constructor(key: string) {
    super('http://balanced.invalid', key);
    this.checking = this.check();
  }

  /** Adds a ready gateway. */
  add(backend: Backend): void {
    this.backends.set(backend, true);
  }

  /** Removes a gateway at once; an orchestrator does so before it ends the process. */
  remove(backend: Backend): void {
    this.backends.delete(backend);
  }

  override async request<Body = unknown>(method: string, path: string, options: RequestOptions = {}): Promise<Answer<Body>> {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.attempt<Body>(method, path, options);
      const isRetried = outcome instanceof Error || outcome.status === 503;
      if (!isRetried) return outcome;
      if (attempt === ATTEMPTS_MAX) {
        if (outcome instanceof Error) throw outcome;
        return outcome;
      }
      if (attempt === 1) this.retried += 1;
      await delay(RETRY_MS);
    }
  }

  async close(): Promise<void> {
    this.closed.abort();
    await this.checking;
  }

  private async attempt<Body>(method: string, path: string, options: RequestOptions): Promise<Answer<Body> | Error> {
    const ready = [...this.backends].filter(([, isReady]) => isReady).map(([backend]) => backend);
    const backend = ready[this.next++ % ready.length];
    if (!backend) return new Error('No gateway is ready');
    try {
      return await this.requestAt<Body>(backend.url, method, path, options);
    } catch (error) {
      return error as Error;
    }
  }

  private async check() {
    const { signal } = this.closed;
    while (!signal.aborted) {
      await Promise.all(
        [...this.backends.keys()].map(async (backend) => {
          const isReady = await isReadyAt(backend.healthUrl);
          if (this.backends.has(backend)) this.backends.set(backend, isReady);
        }),
      );
      await delay(CHECK_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Whether the process at a management port is ready. */
export async function isReadyAt(healthUrl: string): Promise<boolean> {
  try {
    const answer = await fetch(`${healthUrl}/health/ready`, { signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}
