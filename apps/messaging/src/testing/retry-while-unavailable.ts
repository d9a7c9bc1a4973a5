import type { ServiceError } from '@tidings/contracts/core/errors';
import { LOOK_UP_WAIT_MS_MAX } from '../queries/read-your-writes';

/** Clocks have a resolution of milliseconds: the measured wait may be shorter by this much. */
const CLOCKS_DIFFER_MS_MAX = 10;
/** Calls of one look-up at most. */
const CALLS_MAX = 5;

/** Resolves with the answer of a look-up. One that waited its full time and answered `unavailable` is retried, as clients do. */
export async function retryWhileUnavailable<Answer>(lookUp: () => Promise<Answer>): Promise<Answer> {
  for (let calls = 1; ; calls += 1) {
    const calledAt = performance.now();
    try {
      return await lookUp();
    } catch (error) {
      const waitedMs = performance.now() - calledAt;
      const mayRetry = (error as ServiceError).code === 'unavailable' && waitedMs >= LOOK_UP_WAIT_MS_MAX - CLOCKS_DIFFER_MS_MAX;
      if (!mayRetry || calls >= CALLS_MAX) throw error;
    }
  }
}
