import { ServiceError } from '@tidings/contracts/core/errors';
import type { LimitedQuery } from '@tidings/contracts/core/paging';
import { decodeCursor } from '@tidings/persistence/page';

const SHOWN_LENGTH_MAX = 100;

/**
 * The cursor of a listing by id, from either of its parameters; `undefined` for the first page.
 * @throws ServiceError `invalid_request` naming the parameter when it is not a cursor of the listing `tag`.
 */
export function readListCursor(
  tag: string,
  { cursor, starting_after }: Pick<LimitedQuery, 'cursor' | 'starting_after'>,
): string | undefined {
  const given = cursor ?? starting_after;
  if (given === undefined) return undefined;
  try {
    decodeCursor(tag, given, ['text']);
    return given;
  } catch (error) {
    if (cursor !== undefined || !(error instanceof ServiceError)) throw error;
    const shown = JSON.stringify(given.slice(0, SHOWN_LENGTH_MAX));
    throw new ServiceError(error.code, `starting_after ${shown} is not valid: it takes the cursor of the page before`);
  }
}
