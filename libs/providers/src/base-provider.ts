import { ServiceError } from '@tidings/contracts/core/errors';
import { type Attempt, type Failed, failed, type Outcome, retry } from './provider';
import type { OpenProvider, TestResult } from './provider-kind';
import type { Recipient } from './recipient';
import type { Rendered } from './rendered';

/** What the providers share: open calls are awaited by `close`, and what a send gives invalid (an override, an address) is an outcome. */
export abstract class BaseProvider implements OpenProvider {
  /** Its name in configurations. */
  abstract readonly key: string;
  private readonly openCalls = new Set<Promise<Outcome>>();
  private closed = false;

  abstract send(rendered: Rendered, recipient: Recipient, attempt: Attempt): Promise<Outcome>;
  abstract test(signal: AbortSignal): Promise<TestResult>;

  /**
   * The outcome of a call, which is not made after `close` or once the attempt was aborted. It rejects with a `ServiceError` where this
   * message makes the call impossible.
   */
  protected tracked({ signal }: Attempt, call: () => Promise<Outcome>): Promise<Outcome> {
    if (this.closed) return Promise.resolve(retry(`The ${this.key.toUpperCase()} provider was closed`));
    if (signal?.aborted) return Promise.resolve(retry('The call was aborted before it started'));
    const outcome = call().catch(outcomeOfInvalid);
    this.openCalls.add(outcome);
    const end = () => void this.openCalls.delete(outcome);
    outcome.then(end, end);
    return outcome;
  }

  async close() {
    this.closed = true;
    await Promise.allSettled(this.openCalls);
    await this.release();
  }

  /** Closes every connection. */
  protected abstract release(): void | Promise<void>;
}

/** The outcome of a call that rejects because its message gives something invalid. @throws any other error. */
export function outcomeOfInvalid(error: unknown): Failed {
  if (error instanceof ServiceError) return failed(error.message, 'permanent');
  throw error;
}
