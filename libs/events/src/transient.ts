import { isTransientServiceError, ServiceError } from '@tidings/contracts/core/errors';
import { toDatabaseError } from '@tidings/persistence/errors';

const QUERY_CANCELED = '57014';

/**
 * Whether a handler's error is transient: a dependency is unavailable, so the same batch is retried without limit. Any other
 * error is the batch's own.
 */
export function isTransientError(error: unknown): boolean {
  if (error instanceof ServiceError) return isTransientServiceError(error);
  const { code, syscall } = error as NodeJS.ErrnoException;
  // A raw cancel comes from a migration canceled on purpose; statements of handlers throw `deadline_exceeded`.
  if (code === QUERY_CANCELED) return false;
  // A missing socket means an unavailable server; any other missing file is a programming error.
  if (code === 'ENOENT' && syscall !== 'connect') return false;
  return isTransientServiceError(toDatabaseError(error, false));
}
