import { ServiceError } from '@tidings/contracts/core/errors';

/** Retry interval for a topic that an operator has to reconfigure, in s. */
const RECHECK_SECONDS = 5;

/** A topic that an operator has to reconfigure; transient, because that may happen while the process runs. */
export class UnfitTopic extends ServiceError {
  constructor(message: string) {
    super('unavailable', message, { retryAfterSeconds: RECHECK_SECONDS });
  }
}
