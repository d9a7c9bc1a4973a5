import { BaseRpcContext, Server } from '@nestjs/microservices';
import { ServiceError } from '@tidings/contracts/core/errors';
import { setTimeout as delay } from 'node:timers/promises';
import { firstValueFrom, isObservable } from 'rxjs';
import { ConcurrencyLimiter } from './concurrency-limiter';
import { encodeError, type ReplyRecord, type RequestRecord } from './envelope';
import type { HandlerExtras } from './handles';

/** Concurrent handlers of one service, and calls that may wait for a permit. */
export const CONCURRENT_HANDLERS_MAX = 256;
const WAITING_CALLS_MAX = 10_000;
/** Operations that may wait for an event (reading a message just sent) have permits of their own. */
const WAITING_HANDLERS_MAX = 512;
const DRAIN_POLL_INTERVAL_MS = 10;

/**
 * The part of a service's server common to all transports: selects the handler, limits concurrency, and checks the deadline.
 */
export abstract class OperationServer extends Server {
  private readonly handlers = new ConcurrencyLimiter(CONCURRENT_HANDLERS_MAX, WAITING_CALLS_MAX);
  private readonly waiters = new ConcurrencyLimiter(WAITING_HANDLERS_MAX, WAITING_CALLS_MAX);

  override on() {}

  override unwrap<T>(): T {
    return this as unknown as T;
  }

  /**
   * Answers a record that arrived at `arrivedAt` (ms, `performance.now()`). Resolves with `undefined` when the deadline has passed,
   * or `wanted` returns false, before the handler starts: no caller would read the reply. Never rejects.
   */
  protected async answer(record: RequestRecord, arrivedAt: number, wanted = () => true): Promise<ReplyRecord | undefined> {
    const { operation, deadline } = record.headers;
    const handler = this.messageHandlers.get(operation);
    if (!handler) return encodeError(new ServiceError('not_served', `${operation} is not served`, { shouldRetry: false }));

    const expiresAt = arrivedAt + Number(deadline);
    const timed: RequestRecord = { ...record, headers: { ...record.headers, expiresAt } };
    const limiter = (handler.extras as HandlerExtras).operation.waits ? this.waiters : this.handlers;
    try {
      return await limiter.run(async () => {
        if (performance.now() > expiresAt || !wanted()) return undefined;
        const result: unknown = await handler(timed, new BaseRpcContext([timed]));
        return (isObservable(result) ? await firstValueFrom(result) : result) as ReplyRecord;
      });
    } catch (error) {
      return encodeError(error);
    }
  }

  /** Whether request and reply of an operation travel sealed. */
  protected carriesSecrets(operation: string): boolean {
    const extras = this.messageHandlers.get(operation)?.extras as HandlerExtras | undefined;
    return extras?.operation.carriesSecrets ?? false;
  }

  /** Whether no handler is running. */
  protected get idle() {
    return this.handlers.idle && this.waiters.idle;
  }

  /** Waits until the server is idle, at most `msMax`. */
  protected async drain(msMax: number) {
    const end = performance.now() + msMax;
    while (!this.idle && performance.now() < end) await delay(DRAIN_POLL_INTERVAL_MS);
  }
}
