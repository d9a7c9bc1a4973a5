import { ServiceError } from '@tidings/contracts/core/errors';

/** Maximum characters of one rendered part (subject, HTML or text). */
export const RENDERED_CHARS_MAX = 500_000;

/** The error of a result above `RENDERED_CHARS_MAX`. */
export function tooLong(): ServiceError {
  return new ServiceError('payload_too_large', `The rendered content has more than ${RENDERED_CHARS_MAX} characters`);
}

/** Throws that error when a finished part is too long. */
export function assertOutputLength(...parts: readonly string[]): void {
  if (parts.some((part) => part.length > RENDERED_CHARS_MAX)) throw tooLong();
}
