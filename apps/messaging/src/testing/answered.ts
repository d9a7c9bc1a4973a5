import type { ServiceError } from '@tidings/contracts/core/errors';

/** As long as a look-up waits at least for a message that was accepted a moment ago; the clocks that measure it tick by milliseconds. */
const LOOK_UP_MS = 1_990;

/** What a look-up says. Where it could not say within all the time that it may wait, it is asked again, as its client is told to. */
export async function answered<Answer>(look: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const askedAt = performance.now();
    try {
      return await look();
    } catch (error) {
      const waitedMs = performance.now() - askedAt;
      if ((error as ServiceError).code !== 'unavailable' || waitedMs < LOOK_UP_MS) throw error;
    }
  }
}
