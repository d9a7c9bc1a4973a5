import { ServiceError } from '@tidings/contracts/core/errors';

/** What a client is told when no answer came in time: without names that only we know. */
export function callTimedOut(service: string, deadlineMs: number, repeatable: boolean): ServiceError {
  const doubt = repeatable ? '' : '; look whether the change was made before you try again';
  return new ServiceError('deadline_exceeded', `The ${service} service did not answer within ${deadlineMs} ms${doubt}`);
}
