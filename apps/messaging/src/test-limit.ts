import { ServiceError } from '@tidings/contracts/core/errors';
import { LRUCache } from 'lru-cache';

/** Tests of a workspace in a period, in this process: a test must not try out passwords, or flood a receiver. */
export const TESTS_MAX = 20;
const PERIOD_MS = 60_000;
/** Workspaces whose tests are counted. */
const WORKSPACES_MAX = 10_000;

/** Limits how often a workspace tests its providers, or its webhooks. */
export class TestLimit {
  private readonly counts = new LRUCache<string, { tests: number }>({ max: WORKSPACES_MAX, ttl: PERIOD_MS });

  /** @param what is tested, for the error. */
  constructor(private readonly what: string) {}

  /** Counts a test. @throws ServiceError `rate_limited` after `TESTS_MAX` tests of the workspace within a minute. */
  count(workspaceId: string): void {
    const counted = this.counts.get(workspaceId) ?? { tests: 0 };
    if (counted.tests >= TESTS_MAX) {
      const retryAfterSeconds = Math.ceil(this.counts.getRemainingTTL(workspaceId) / 1_000);
      throw new ServiceError('rate_limited', `A workspace may test its ${this.what} ${TESTS_MAX} times a minute`, { retryAfterSeconds });
    }
    counted.tests += 1;
    if (counted.tests === 1) this.counts.set(workspaceId, counted);
  }
}
