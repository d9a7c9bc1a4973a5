import { types } from 'node:util';
import { ServiceError } from '@tidings/contracts/core/errors';

const RETRY_AFTER_SECONDS = 1;

/**
 * The database did not do it now: it cannot be reached, is starting or stopping, is out of connections, or gave this
 * transaction up in favour of another. Trying again later makes sense.
 */
class DatabaseUnavailable extends ServiceError {
  /**
   * @param outcomeUnknown true when a COMMIT, or a statement outside a transaction, was sent and never answered: it may
   * have taken effect. False means that surely nothing was kept.
   * @param cause what the driver said; for the log only.
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
 * TypeORM wraps what the driver threw. Asked by what it is made of: errors of the network come from Node itself, whose
 * `Error` is another one than ours inside of jest.
 */
function driverErrorOf(error: unknown): DriverError | undefined {
  if (!types.isNativeError(error)) return undefined;
  const inner = (error as { driverError?: unknown }).driverError;
  return types.isNativeError(inner) ? inner : error;
}

/** An error's text for people. Node gathers the failures of several addresses in an error without a text of its own. */
export function reasonOf(error: unknown): string {
  if (!types.isNativeError(error)) return String(error);
  if (error instanceof DatabaseUnavailable) return `${error.message} (${reasonOf(error.cause)})`;
  const { errors } = error as { errors?: unknown[] };
  return error.message || errors?.map(reasonOf).join(', ') || error.name;
}

const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT', // the directory of a unix socket, while the server is away
]);

/** The driver's own errors carry no code, so they are known by their words. */
const CONNECTION_LOST_MESSAGES =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|timeout expired|Query read timeout|Cannot use a pool after calling end|The server closed the connection|Client has already been connected|read E|write E)/;

/** Whether the connection that threw this is of no more use. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return isConnectionLost(error.cause);
  const driverError = driverErrorOf(error);
  if (!driverError) return false;
  const { code = '', severity, message } = driverError;
  if (severity === 'FATAL' || severity === 'PANIC') return true;
  return /^(08...|57P0\d)$/.test(code) || NETWORK_CODES.has(code) || CONNECTION_LOST_MESSAGES.test(message);
}

/** Out of connections, memory or disk; cannot accept connections now; a read-only standby after a fail-over. */
const UNAVAILABLE_STATES = /^(08...|53...|57P0\d|58...|25006|25P03|25P04)$/;
/** Serialization failure, deadlock, lock not available: rolled back in favour of another transaction. */
const GIVEN_UP_STATES = /^(40001|40P01|55P03)$/;
const QUERY_CANCELED = '57014';
const UNIQUE_VIOLATION = '23505';
/** Failed authorizations end the connection too, but waiting does not cure them. */
const MISCONFIGURED_STATES = /^(28...|3D...|42...)$/;

/**
 * What a caller of the database sees of an error of the driver or of TypeORM; anything that is not about the database
 * being away comes back as it is.
 * @param effectPossible whether a statement that keeps its effect by itself (COMMIT, autocommit) had been sent.
 */
export function toDatabaseError(error: unknown, effectPossible: boolean): unknown {
  if (error instanceof ServiceError) return error;
  const driverError = driverErrorOf(error);
  if (!driverError) return error;
  const code = driverError.code ?? '';
  if (MISCONFIGURED_STATES.test(code)) return error;
  if (GIVEN_UP_STATES.test(code)) return new DatabaseUnavailable(false, error, 'The database was too busy to finish this');
  if (code === QUERY_CANCELED) return new ServiceError('deadline_exceeded', 'The database took too long to answer');
  if (isConnectionLost(error)) return new DatabaseUnavailable(effectPossible, error);
  if (UNAVAILABLE_STATES.test(code)) return new DatabaseUnavailable(false, error);
  return error;
}

/** Whether a key exists already; `constraint` narrows it to one constraint or unique index. Knows driver's and TypeORM's errors. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const driverError = driverErrorOf(error);
  return driverError?.code === UNIQUE_VIOLATION && (constraint === undefined || driverError.constraint === constraint);
}
