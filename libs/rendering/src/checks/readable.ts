import { ServiceError } from '@tidings/contracts/core/errors';
import { BudgetSpent } from '../render-budget';

/** Reads something; what is wrong with it is told with its path. That it was too much to be read at once is nothing wrong. */
export function readable(path: string, read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof ServiceError) || error instanceof BudgetSpent) throw error;
    throw new ServiceError(error.code, `${path}: ${error.message}`, error.hints);
  }
}
