import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '@tidings/contracts/core/errors';

/** Delay of the answer to a wrong credential, in ms, and how many such answers may wait; further ones are refused at once. */
const REFUSAL_DELAY_MS = 1_000;
export const REFUSALS_WAITING_MAX = 10;

/**
 * Answers wrong credentials late and in bounded number. Guessing does not lock anyone out: a right credential never waits, and it is too
 * long to be guessed at any rate.
 */
export class DelayedRefusals {
  private waiting = 0;

  constructor(private readonly delayMs = REFUSAL_DELAY_MS) {}

  /** Rejects with the refusal after the delay; at once with `rate_limited` while too many wait. */
  async refuse(refusal: ServiceError): Promise<never> {
    if (this.waiting >= REFUSALS_WAITING_MAX) throw new ServiceError('rate_limited', 'Too many wrong keys; try again in a moment');
    this.waiting += 1;
    try {
      await delay(this.delayMs, undefined, { ref: false });
    } finally {
      this.waiting -= 1;
    }
    throw refusal;
  }
}
