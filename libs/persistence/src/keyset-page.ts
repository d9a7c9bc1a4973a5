import { types } from 'node:util';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { type CursorKind, type CursorValue, decodeCursor } from './cursor';
import { type Page, toPage } from './page';

interface KeysetOptions<Row extends ObjectLiteral, Item> {
  /** The listing, with its workspace, filters and order (`encodeCursor`). */
  tag: string;
  /** Most items of a page. */
  limit: number;
  /** Cursor of the previous page; absent for the first page. */
  cursor: string | undefined;
  /** Properties that order the listing, all in one direction; together they are unique per row. */
  orderedBy: readonly {
    property: keyof Row & string;
    kind: CursorKind;
    /** Property with the value for cursors, where `property` is a `Date`: it has no microseconds (`exactInstant`). */
    exact?: keyof Row & string;
  }[];
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
  const columns = orderedBy.map(({ property }) => `${query.alias}.${property}`);
  if (cursor !== undefined) {
    const kinds = orderedBy.map(({ kind }) => kind);
    const values = decodeCursor(tag, cursor, kinds);
    const names = values.map((_, index) => `:after${index}`);
    const behind = direction === 'ASC' ? '>' : '<';
    query.andWhere(
      `(${columns.join(', ')}) ${behind} (${names.join(', ')})`,
      Object.fromEntries(values.map((value, index) => [`after${index}`, value])),
    );
  }
  for (const column of columns) query.addOrderBy(column, direction);
  for (const { exact } of orderedBy) if (exact) query.addSelect(`${query.alias}.${exact}`);
  const rows = await query.limit(limit + 1).getMany();
  const cursorOf = (row: Row): CursorValue[] => orderedBy.map(({ property, exact }) => toCursorValue(row[exact ?? property]));
  return toPage(rows, { tag, limit, cursorOf, toItem });
}

/** An instant has milliseconds here, so its column must be `timestamptz(3)`. */
function toCursorValue(value: unknown): CursorValue {
  return types.isDate(value) ? value.toISOString() : (value as CursorValue);
}
