import { isTransientServiceError, ServiceError } from '@tidings/contracts/core/errors';
import { toDatabaseError } from '@tidings/persistence/errors';

const QUERY_CANCELED = '57014';

/**
 * Whether an error of a handler means "not now": something it needs is away, so the same batch has to come again, however
 * often. Everything else blames the batch.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof ServiceError) return isTransientServiceError(error);
  const { code, syscall } = error as NodeJS.ErrnoException;
  // Only of a migration, which somebody canceled and meant to; statements of handlers come as `deadline_exceeded`.
  if (code === QUERY_CANCELED) return false;
  // A socket that is not there is a server that is away; any other file is a mistake.
  if (code === 'ENOENT' && syscall !== 'connect') return false;
  return isTransientServiceError(toDatabaseError(error, false));
}
