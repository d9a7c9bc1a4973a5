import { ServiceError } from '@tidings/contracts/core/errors';
import { BudgetSpent } from './render-budget';

/** Runs `work`; its errors are prefixed with the path, once. `BudgetSpent` concerns no path, and callers check its class. */
export function withPath<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ServiceError) || error instanceof BudgetSpent || error.message.startsWith('elements[')) throw error;
    throw new ServiceError(error.code, `${path}: ${error.message}`, error.hints);
  }
}
