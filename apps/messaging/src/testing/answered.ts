import type { ServiceError } from '@tidings/contracts/core/errors';
import { LOOK_UP_WAIT_MS_MAX } from '../messages/read-your-writes';

/** The clocks that measure a look-up's waiting tick by milliseconds: by so much less it may be here. */
const CLOCKS_DIFFER_MS_MAX = 10;
/** So often a look-up is made at most. */
const ASKED_MAX = 5;

/** What a look-up says. Where it could not say within all the time that it may wait, it is asked again, as its client is told to. */
export async function answered<Answer>(look: () => Promise<Answer>): Promise<Answer> {
  for (let asked = 1; ; asked += 1) {
    const askedAt = performance.now();
    try {
      return await look();
    } catch (error) {
      const waitedMs = performance.now() - askedAt;
      const mayAskAgain = (error as ServiceError).code === 'unavailable' && waitedMs >= LOOK_UP_WAIT_MS_MAX - CLOCKS_DIFFER_MS_MAX;
      if (!mayAskAgain || asked >= ASKED_MAX) throw error;
    }
  }
}
