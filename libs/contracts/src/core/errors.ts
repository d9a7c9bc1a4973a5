/**
 * The closed set of outcomes a caller can meet, and what each is on the wire.
 * `type` follows the interface the SDKs know: one word per family of statuses.
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
  /** Seconds after which trying again makes sense; sent as `Retry-After`. */
  retryAfterSeconds?: number;
  /** Answers the SDKs' question whether to try again (`x-should-retry`), where the status alone would mislead them. */
  shouldRetry?: boolean;
  /** The body of the answer, where the interface promises another one than `{ message, type }`. */
  answer?: object;
}

/** What an error is between two processes: nothing here is secret, nothing is a stack trace. */
export interface ErrorShape extends ErrorHints {
  code: ErrorCode;
  message: string;
}

/** An outcome that the caller is told about, in these words. Everything else that is thrown is `internal`. */
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
const PASSING: ReadonlySet<ErrorCode> = new Set(['unavailable', 'deadline_exceeded', 'rate_limited']);

/** Not now: surely nothing was done, and trying again in a moment makes sense. @param cause for the log only. */
export function unavailable(message: string, cause?: unknown): ServiceError {
  const error = new ServiceError('unavailable', message, { retryAfterSeconds: UNAVAILABLE_RETRY_AFTER_SECONDS });
  return cause === undefined ? error : Object.assign(error, { cause });
}

/** Whether the same may succeed later, and nobody needs to mend anything: what it needs is away, slow, or asks for patience. */
export function isTransientServiceError(error: unknown): boolean {
  return error instanceof ServiceError && PASSING.has(error.code);
}

/**
 * The error as another process or a client may see it. What is not a `ServiceError` becomes `internal`:
 * its text stays in the log of the process that met it.
 */
export function toErrorShape(error: unknown): ErrorShape {
  if (error instanceof ServiceError) return { code: error.code, message: error.message, ...error.hints };
  return { code: 'internal', message: 'Something went wrong on our side' };
}

/** The inverse of `toErrorShape`, for the process that receives it. */
export function fromErrorShape({ code, message, ...hints }: ErrorShape): ServiceError {
  return isErrorCode(code) ? new ServiceError(code, message, hints) : new ServiceError('internal', message, hints);
}
