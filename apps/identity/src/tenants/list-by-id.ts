import { ServiceError } from '@tidings/contracts/core/errors';
import type { LimitedQuery } from '@tidings/contracts/core/paging';
import { keysetPage } from '@tidings/persistence/keyset-page';
import { decodeCursor, toListPage } from '@tidings/persistence/page';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';

const SHOWN_LENGTH_MAX = 100;

interface Listing<Row, Item> {
  /** The listing, with its workspace and filters (`encodeCursor`). */
  tag: string;
  /** The property with the id. */
  by: keyof Row & string;
  toItem: (row: Row) => Item;
  path: string;
  /** Parameters of the listing beside limit and cursor. */
  filter?: Record<string, string | undefined>;
}

/** A page (P3) of rows by id. @throws ServiceError `invalid_request` naming the parameter that is not a cursor of the listing. */
export async function listById<Row extends ObjectLiteral, Item>(
  query: SelectQueryBuilder<Row>,
  { cursor: given, starting_after, limit }: LimitedQuery,
  { tag, by, toItem, path, filter }: Listing<Row, Item>,
) {
  const cursor = given ?? starting_after;
  if (given === undefined && starting_after !== undefined) assertStartingAfter(tag, starting_after);
  const page = await keysetPage(query, { tag, limit, cursor, orderedBy: [by], toItem });
  return toListPage(page, { path, query: { limit, ...filter }, cursor });
}

function assertStartingAfter(tag: string, given: string) {
  try {
    decodeCursor(tag, given, ['text']);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const shown = JSON.stringify(given.slice(0, SHOWN_LENGTH_MAX));
    throw new ServiceError(error.code, `starting_after ${shown} is not valid: it takes the cursor of the page before`);
  }
}
