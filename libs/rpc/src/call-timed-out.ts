import { ServiceError } from '@tidings/contracts/core/errors';

/** The error of a client whose call got no answer in time; contains no internal names. */
export function callTimedOut(service: string, deadlineMs: number, repeatable: boolean): ServiceError {
  const advice = repeatable ? '' : '; check whether the change was made before you try again';
  return new ServiceError('deadline_exceeded', `The ${service} service did not answer within ${deadlineMs} ms${advice}`);
}
