import { PAGE_LIMIT_DEFAULT } from '@tidings/contracts/core/paging';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { type CursorKind, type CursorValue, decodeCursor } from './cursor';
import { type Page, toPage } from './page';

interface KeysetOptions<Row extends ObjectLiteral, Item> {
  /** The listing, with its workspace, filters and order (`encodeCursor`). */
  tag: string;
  /** Most items of a page; default `PAGE_LIMIT_DEFAULT`. */
  limit?: number | null;
  /** Cursor of the previous page; absent for the first page. */
  cursor: string | undefined;
  /** Properties that order the listing, all in one direction; together they are unique per row. */
  orderedBy: readonly (keyof Row & string)[];
  /** Default `ASC`. */
  direction?: 'ASC' | 'DESC';
  /** Converts a row to its response. */
  toItem: (row: Row) => Item;
}

/**
 * A page of a query by keyset: the rows after the cursor, in index order, so that late pages cost what the first one does.
 * @throws ServiceError `invalid_request` for a cursor of another listing.
 */
export async function keysetPage<Row extends ObjectLiteral, Item>(
  query: SelectQueryBuilder<Row>,
  { tag, limit, cursor, orderedBy, direction = 'ASC', toItem }: KeysetOptions<Row, Item>,
): Promise<Page<Item>> {
  const size = limit ?? PAGE_LIMIT_DEFAULT;
  const { metadata } = query.expressionMap.mainAlias!;
  const columns = orderedBy.map((property) => `${query.alias}.${property}`);
  const kinds = orderedBy.map((property) => {
    const { type } = metadata.findColumnWithPropertyName(property)!;
    return type === 'timestamptz' ? 'instant' : (type as CursorKind);
  });
  if (cursor !== undefined) {
    const after = decodeCursor(tag, cursor, kinds).map((value, index) => [`after${index}`, value] as const);
    const names = after.map(([name]) => `:${name}`).join(', ');
    query.andWhere(`(${columns.join(', ')}) ${direction === 'ASC' ? '>' : '<'} (${names})`, Object.fromEntries(after));
  }
  columns.forEach((column, index) => {
    query.addOrderBy(column, direction);
    if (kinds[index] === 'instant') query.addSelect(exactInstant(column), `exact_${orderedBy[index]}`);
  });
  const { entities, raw } = await query.limit(size + 1).getRawAndEntities<Record<string, CursorValue>>();
  const rows = entities.map((entity, index) => ({ entity, exact: raw[index]! }));
  return toPage(rows, {
    tag,
    limit: size,
    cursorOf: ({ entity, exact }) => orderedBy.map((property): CursorValue => exact[`exact_${property}`] ?? entity[property]),
    toItem: ({ entity }) => toItem(entity),
  });
}

/** SQL: a time in microseconds. A `Date` has milliseconds only: the next page would skip rows. */
export const exactInstant = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
