/**
 * The closed set of error codes, each with its HTTP status and `type`. The SDKs define `type`: one per family of statuses.
 */
const ERRORS = {
  invalid_request: { status: 400, type: 'invalid_request_error' },
  unauthenticated: { status: 401, type: 'authentication_error' },
  payment_required: { status: 402, type: 'authorization_error' },
  forbidden: { status: 403, type: 'authorization_error' },
  not_found: { status: 404, type: 'invalid_request_error' },
  method_not_allowed: { status: 405, type: 'invalid_request_error' },
  conflict: { status: 409, type: 'invalid_request_error' },
  payload_too_large: { status: 413, type: 'invalid_request_error' },
  unsupported_media_type: { status: 415, type: 'invalid_request_error' },
  rate_limited: { status: 429, type: 'rate_limit_error' },
  internal: { status: 500, type: 'internal_error' },
  not_served: { status: 501, type: 'invalid_request_error' },
  unavailable: { status: 503, type: 'internal_error' },
  deadline_exceeded: { status: 504, type: 'internal_error' },
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** HTTP status and `type` of an error code. */
export function wireError(code: ErrorCode): { status: number; type: string } {
  return ERRORS[code];
}

function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERRORS, value);
}

interface ErrorHints {
  /** Seconds until a retry makes sense; sent as `Retry-After`. */
  retryAfterSeconds?: number;
  /** Sent as `x-should-retry`, where SDKs would decide wrongly by the status. */
  shouldRetry?: boolean;
  /** The body of the answer, where the interface requires another one than `{ message, type }`. */
  answer?: object;
}

/** An error as sent between processes: without secrets and stack traces. */
export interface ErrorShape extends ErrorHints {
  code: ErrorCode;
  message: string;
}

/** An error that the caller receives with its code and message. Any other thrown error becomes `internal`. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly hints: ErrorHints = {},
  ) {
    super(message);
  }
}

const UNAVAILABLE_RETRY_AFTER_SECONDS = 1;
const TRANSIENT: ReadonlySet<ErrorCode> = new Set(['unavailable', 'deadline_exceeded', 'rate_limited']);

/** An `unavailable` error: nothing was done, a retry after 1 s makes sense. @param cause for the log only. */
export function unavailable(message: string, cause?: unknown): ServiceError {
  const error = new ServiceError('unavailable', message, { retryAfterSeconds: UNAVAILABLE_RETRY_AFTER_SECONDS });
  return cause === undefined ? error : Object.assign(error, { cause });
}

/** Whether the same call may succeed later without repair: a dependency is unavailable, slow, or rate-limited. */
export function isTransientServiceError(error: unknown): boolean {
  return error instanceof ServiceError && TRANSIENT.has(error.code);
}

/**
 * The error as another process or a client may see it. Anything but a `ServiceError` becomes `internal`; its text is only logged
 * by the process that caught it.
 */
export function toErrorShape(error: unknown): ErrorShape {
  if (error instanceof ServiceError) return { code: error.code, message: error.message, ...error.hints };
  return { code: 'internal', message: 'Something went wrong on our side' };
}

/** The inverse of `toErrorShape`, for the process that receives it. */
export function fromErrorShape({ code, message, ...hints }: ErrorShape): ServiceError {
  return isErrorCode(code) ? new ServiceError(code, message, hints) : new ServiceError('internal', message, hints);
}
