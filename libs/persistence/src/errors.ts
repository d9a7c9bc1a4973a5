import { types } from 'node:util';
import { ServiceError } from '@tidings/contracts/core/errors';

const RETRY_AFTER_SECONDS = 1;

/**
 * A transient database error: the database cannot be reached, is starting or stopping, is out of connections, or rolled this
 * transaction back in favour of another. The caller may retry later.
 */
class DatabaseUnavailable extends ServiceError {
  /**
   * @param outcomeUnknown true when a COMMIT, or a statement outside a transaction, was sent and not answered: it may have
   * taken effect. False means that nothing was stored.
   * @param cause the driver's error; for the log only.
   */
  constructor(
    readonly outcomeUnknown: boolean,
    override readonly cause: unknown,
    message = 'The database cannot be reached',
  ) {
    super('unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
}

interface DriverError extends Error {
  code?: string;
  severity?: string;
  constraint?: string;
}

/**
 * The driver's error inside TypeORM's. Not checked by `instanceof`: network errors come from Node itself, whose `Error` is
 * another class than ours inside jest.
 */
function driverErrorOf(error: unknown): DriverError | undefined {
  if (!types.isNativeError(error)) return undefined;
  const inner = (error as { driverError?: unknown }).driverError;
  return types.isNativeError(inner) ? inner : error;
}

/** An error's message. Node collects the failures of several addresses in an error without a message of its own. */
export function reasonOf(error: unknown): string {
  if (!types.isNativeError(error)) return String(error);
  if (error instanceof DatabaseUnavailable) return `${error.message} (${reasonOf(error.cause)})`;
  const { errors } = error as { errors?: unknown[] };
  return error.message || errors?.map(reasonOf).join(', ') || error.name;
}

/** The server ended the connection, or the network did; `ENOENT` is a unix socket that does not exist while the server is down. */
const CONNECTION_LOST_CODES =
  /^(08...|57P0\d|ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN|ENOENT)$/;

/** The driver's own errors have no code, so they are recognised by message. */
const CONNECTION_LOST_MESSAGES =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|timeout expired|Query read timeout|Cannot use a pool after calling end|The server closed the connection|Client has already been connected|read E|write E)/;

/** Whether the connection that threw this error is unusable. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return isConnectionLost(error.cause);
  const driverError = driverErrorOf(error);
  if (!driverError) return false;
  const { code = '', severity, message } = driverError;
  if (severity === 'FATAL' || severity === 'PANIC') return true;
  return CONNECTION_LOST_CODES.test(code) || CONNECTION_LOST_MESSAGES.test(message);
}

/** Out of connections, memory or disk; cannot accept connections now; a read-only standby after a fail-over. */
const UNAVAILABLE_STATES = /^(08...|53...|57P0\d|58...|25006|25P03|25P04)$/;
/** Serialization failure, deadlock, lock not available: rolled back in favour of another transaction. */
const ROLLED_BACK_STATES = /^(40001|40P01|55P03)$/;
const QUERY_CANCELED = '57014';
const UNIQUE_VIOLATION = '23505';
/** Failed authorizations end the connection too, but are not transient. */
const MISCONFIGURED_STATES = /^(28...|3D...|42...)$/;

/**
 * Maps an error of the driver or of TypeORM to a service error when the database is unavailable or too slow; returns any other
 * error unchanged.
 * @param effectPossible whether a statement with a lasting effect (COMMIT, autocommit) was sent.
 */
export function toDatabaseError(error: unknown, effectPossible: boolean): unknown {
  if (error instanceof ServiceError) return error;
  const driverError = driverErrorOf(error);
  if (!driverError) return error;
  const code = driverError.code ?? '';
  if (MISCONFIGURED_STATES.test(code)) return error;
  if (ROLLED_BACK_STATES.test(code)) return new DatabaseUnavailable(false, error, 'The database was too busy to finish this');
  if (code === QUERY_CANCELED) return new ServiceError('deadline_exceeded', 'The database took too long to answer');
  if (isConnectionLost(error)) return new DatabaseUnavailable(effectPossible, error);
  if (UNAVAILABLE_STATES.test(code)) return new DatabaseUnavailable(false, error);
  return error;
}

/** Whether a driver's or TypeORM's error is a unique violation; of the constraint or unique index `constraint`, if given. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const driverError = driverErrorOf(error);
  return driverError?.code === UNIQUE_VIOLATION && (constraint === undefined || driverError.constraint === constraint);
}
