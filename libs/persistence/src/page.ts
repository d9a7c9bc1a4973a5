import type { ListPage } from '@tidings/contracts/core/paging';
import { type CursorValue, encodeCursor } from './cursor';

export { decodeCursor, encodeCursor, type CursorValue } from './cursor';

/** JSON bytes of a page's items, so that the whole reply stays below 4 MB. */
export const PAGE_BYTES_MAX = 4_000_000 - 16_384;

/** A page of a listing. `cursor` is set when `more` is true. */
export interface Page<Item> {
  rows: Item[];
  more: boolean;
  cursor?: string;
}

/** Response shape P1 of the interface. */
export interface ResultsPage<Item> {
  paging: { more: boolean; cursor?: string };
  results: Item[];
}

/** Response shape P2 of the interface. */
interface ItemsPage<Item> {
  paging: { more: boolean; cursor?: string };
  items: Item[];
}

/** Response shape P3 of the interface. */
export interface ListPageOf<Item> extends ListPage {
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
  return more && last !== undefined ? { rows: items, more, cursor: encodeCursor(tag, cursorOf(last)) } : { rows: items, more: false };
}

/** P1: `{ paging, results }`. */
export function toResultsPage<Item>(page: Page<Item>): ResultsPage<Item> {
  return { paging: pagingOf(page), results: page.rows };
}

/** P2: `{ paging, items }`. */
export function toItemsPage<Item>(page: Page<Item>): ItemsPage<Item> {
  return { paging: pagingOf(page), items: page.rows };
}

/** P3: `{ type: 'list', items, has_more, url, … }`. `path` is the listing's, its ids encoded; `query` its parameters beside the cursor. */
export function toListPage<Item>(
  { rows, more, cursor: next }: Page<Item>,
  { path, query = {}, cursor }: { path: string; query?: Record<string, string | number | undefined>; cursor?: string },
): ListPageOf<Item> {
  const urlAt = (position: string | undefined): string => {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...query, cursor: position }))
      if (value !== undefined) parameters.set(name, String(value));
    return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
  };
  return {
    type: 'list',
    items: rows,
    has_more: more,
    url: urlAt(cursor),
    ...(next !== undefined && { next_url: urlAt(next), cursor: next }),
  };
}

const pagingOf = ({ more, cursor }: Page<unknown>): { more: boolean; cursor?: string } =>
  cursor === undefined ? { more } : { more, cursor };
