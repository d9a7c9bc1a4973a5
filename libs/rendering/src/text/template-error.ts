import { ServiceError } from '@tidings/contracts/core/errors';

/** The `invalid_request` error of a template, with its line where known. */
export function templateError(sentence: string, line?: number): ServiceError {
  return new ServiceError('invalid_request', line === undefined ? sentence : `Template line ${line}: ${sentence}`);
}
