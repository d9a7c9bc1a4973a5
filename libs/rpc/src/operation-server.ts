import { sealsReply } from '@tidings/contracts/identity/carried-secrets';
import { BaseRpcContext, Server } from '@nestjs/microservices';
import { ServiceError } from '@tidings/contracts/core/errors';
import { setTimeout as delay } from 'node:timers/promises';
import { firstValueFrom, isObservable } from 'rxjs';
import { ConcurrencyLimiter } from './concurrency-limiter';
import { encodeError, outcomeOf, type ReplyRecord, type RequestRecord } from './envelope';
import type { HandlerExtras } from './handles';
import { NO_OBSERVER, type RpcObserver } from './rpc-observer';
import { answerWithIds, isCallObserved } from './traced-calls';

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

  constructor(private readonly observer: RpcObserver = NO_OBSERVER) {
    super();
  }

  override on() {}

  override unwrap<T>(): T {
    return this as unknown as T;
  }

  /**
   * Answers a record that arrived at `arrivedAt` (ms, `performance.now()`). Resolves with `undefined` when the deadline has passed,
   * or `wanted` returns false, before the handler starts: no caller would read the reply. Never rejects.
   */
  protected async answer(record: RequestRecord, arrivedAt: number, wanted = () => true): Promise<ReplyRecord | undefined> {
    const reply = await this.replyTo(record, arrivedAt, wanted);
    const { operation } = record.headers;
    const name = this.messageHandlers.has(operation) ? operation : 'unknown';
    this.observer.answered(name, reply === undefined ? 'expired' : outcomeOf(reply), arrivedAt);
    return reply;
  }

  private async replyTo(record: RequestRecord, arrivedAt: number, wanted: () => boolean): Promise<ReplyRecord | undefined> {
    const { operation, deadline } = record.headers;
    const handler = this.messageHandlers.get(operation);
    if (!handler) return encodeError(new ServiceError('not_served', `${operation} is not served`, { shouldRetry: false }));

    const expiresAt = arrivedAt + Number(deadline);
    const timed: RequestRecord = { ...record, headers: { ...record.headers, expiresAt } };
    const limiter = (handler.extras as HandlerExtras).operation.waits ? this.waiters : this.handlers;
    try {
      return await limiter.run(async () => {
        if (performance.now() > expiresAt || !wanted()) return undefined;
        const result: unknown = await (isCallObserved()
          ? answerWithIds(timed, async (one) => toReply(await handler(one, new BaseRpcContext([one]))))
          : handler(timed, new BaseRpcContext([timed])));
        return toReply(result);
      });
    } catch (error) {
      return encodeError(error);
    }
  }

  /** Whether a reply to an operation travels sealed. */
  protected seals(operation: string, reply: ReplyRecord): boolean {
    const extras = this.messageHandlers.get(operation)?.extras as HandlerExtras | undefined;
    return extras !== undefined && sealsReply(extras.operation, reply);
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

/** What a handler returned, or emitted first. */
function toReply(result: unknown) {
  return (isObservable(result) ? firstValueFrom(result) : result) as ReplyRecord | Promise<ReplyRecord>;
}
