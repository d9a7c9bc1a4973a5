import type { Paging } from '@tidings/contracts/core/paging';
import { type CursorValue, encodeCursor } from './cursor';

export { decodeCursor, encodeCursor, type CursorValue } from './cursor';

/** JSON bytes of a page's items, so that the whole reply stays below 4 MB. */
export const PAGE_BYTES_MAX = 4_000_000 - 16_384;

/** A page of a listing, in shape P2 of the interface. `cursor` is set when `more` is true. */
export interface Page<Item> {
  paging: Paging;
  items: Item[];
}

interface PageOptions<Row, Item> {
  /** The listing, with its workspace, filters and order (`encodeCursor`). */
  tag: string;
  /** Maximum items of a page; the statement selects one more. */
  limit: number;
  /** What the listing is ordered by; distinct for each row. */
  cursorOf: (row: Row) => readonly CursorValue[];
  /** Maps a row to its item in the response. */
  toItem: (row: Row) => Item;
}

/**
 * Makes a page of the rows of a keyset statement with limit `limit + 1`. It ends early, with `more`, before its items exceed
 * `PAGE_BYTES_MAX`; with any row it has at least one item.
 */
export function toPage<Row, Item>(rows: readonly Row[], { tag, limit, cursorOf, toItem }: PageOptions<Row, Item>): Page<Item> {
  const items: Item[] = [];
  let bytes = 0;
  for (const row of rows.slice(0, limit)) {
    const item = toItem(row);
    bytes += Buffer.byteLength(JSON.stringify(item) ?? '') + 1;
    if (items.length > 0 && bytes > PAGE_BYTES_MAX) break;
    items.push(item);
  }
  const more = items.length < rows.length;
  const last = rows[items.length - 1];
  return { paging: { more, ...(more && last !== undefined && { cursor: encodeCursor(tag, cursorOf(last)) }) }, items };
}

/** P1: `{ paging, results }`. */
export const toResultsPage = <Item>({ paging, items }: Page<Item>) => ({ paging, results: items });

/** P3: `{ type: 'list', items, has_more, url, … }`. `path` is the listing's, its ids encoded; `query` its parameters beside the cursor. */
export function toListPage<Item>(
  { items, paging: { more, cursor: next } }: Page<Item>,
  { path, query = {}, cursor }: { path: string; query?: Record<string, string | number | undefined>; cursor?: string },
) {
  const urlAt = (position: string | undefined) => {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...query, cursor: position }))
      if (value !== undefined) parameters.set(name, String(value));
    return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
  };
  return {
    type: 'list' as const,
    items,
    has_more: more,
    url: urlAt(cursor),
    ...(next !== undefined && { next_url: urlAt(next), cursor: next }),
  };
}
