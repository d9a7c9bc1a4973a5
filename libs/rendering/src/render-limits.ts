import { ServiceError } from '@tidings/contracts/core/errors';

/** Maximum characters of one rendered part (subject, HTML or text). */
export const RENDERED_CHARS_MAX = 500_000;

/** Throws `payload_too_large` for the length of a part above `RENDERED_CHARS_MAX`. */
export function assertLength(length: number): void {
  if (length <= RENDERED_CHARS_MAX) return;
  throw new ServiceError('payload_too_large', `The rendered content has more than ${RENDERED_CHARS_MAX} characters`);
}
