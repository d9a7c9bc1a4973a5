import { ServiceError } from '@tidings/contracts/core/errors';
import { BudgetSpent } from '../render-budget';

/** Runs a check and prefixes its errors with the path. `BudgetSpent` passes unchanged. */
export function readable(path: string, read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof ServiceError) || error instanceof BudgetSpent) throw error;
    throw new ServiceError(error.code, `${path}: ${error.message}`, error.hints);
  }
}
