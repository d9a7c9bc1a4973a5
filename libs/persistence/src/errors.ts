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
const UNDEFINED_TABLE = '42P01';
const QUERY_CANCELED = '57014';
const UNIQUE_VIOLATION = '23505';
/** Failed authorizations end the connection too, but are not transient. */
const MISCONFIGURED_STATES = /^(28...|3D...|42...)$/;

/** Whether a statement names a table that does not exist: a process may run on the schema of the version before. */
export function isMissingTable(error: unknown): boolean {
  return driverErrorOf(error)?.code === UNDEFINED_TABLE;
}

/** The result of a statement outside a transaction, or `otherwise` where it names a table that does not exist. */
export async function orIfMissingTable<Result>(result: Promise<Result>, otherwise: Result): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    if (isMissingTable(error)) return otherwise;
    throw error;
  }
}

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

/**
 * Maps an error that prevented a connection, also one that an operator has to correct (certificate, password, address): what needs the
 * connection had no effect, and succeeds later.
 */
export function toConnectError(error: unknown): unknown {
  return error instanceof ServiceError || !driverErrorOf(error) ? error : new DatabaseUnavailable(false, error);
}

/** Node's codes for a certificate of which no authority is known. */
const UNKNOWN_AUTHORITY = /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/;

/** What an operator may have forgotten where the server's certificate is not trusted; empty for other errors. */
export function certificateHint(error: unknown): string {
  return UNKNOWN_AUTHORITY.test(driverErrorOf(error)?.code ?? '') ? ' (is its CA in DATABASE_CA_FILE?)' : '';
}

/** Whether a driver's or TypeORM's error is a unique violation; of the constraint or unique index `constraint`, if given. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const driverError = driverErrorOf(error);
  return driverError?.code === UNIQUE_VIOLATION && (constraint === undefined || driverError.constraint === constraint);
}
