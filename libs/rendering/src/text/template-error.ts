import { ServiceError } from '@tidings/contracts/core/errors';

/** What is wrong with a template or cannot be rendered of it; a client's mistake, told with the line. */
export function templateError(sentence: string, line?: number): ServiceError {
  return new ServiceError('invalid_request', line === undefined ? sentence : `Template line ${line}: ${sentence}`);
}
