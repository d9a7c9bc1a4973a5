/** The closed set of error codes, each with its HTTP status. */
const STATUSES = {
  invalid_request: 400,
  unauthenticated: 401,
  payment_required: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  key_reused: 422,
  rate_limited: 429,
  internal: 500,
  not_served: 501,
  unavailable: 503,
  deadline_exceeded: 504,
} as const;

/** The `type` that the SDKs define for a family of statuses; `invalid_request_error` for all others. */
const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'authorization_error',
  403: 'authorization_error',
  429: 'rate_limit_error',
  500: 'internal_error',
  503: 'internal_error',
  504: 'internal_error',
};

export type ErrorCode = keyof typeof STATUSES;

/** HTTP status and `type` of an error code. */
export function wireError(code: ErrorCode): { status: number; type: string } {
  const status = STATUSES[code];
  return { status, type: TYPES[status] ?? 'invalid_request_error' };
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

const TRANSIENT = new Set<ErrorCode>(['unavailable', 'deadline_exceeded', 'rate_limited']);

/** An `unavailable` error: nothing was done, a retry after 1 s makes sense. @param cause for the log only. */
export function unavailable(message: string, cause?: unknown): ServiceError {
  const error = new ServiceError('unavailable', message, { retryAfterSeconds: 1 });
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
  return new ServiceError(Object.hasOwn(STATUSES, code) ? code : 'internal', message, hints);
}
