import { IsIn } from 'class-validator';
import { Flag, IsListOf, IsNested, OptionalLimit, OptionalText, OptionalTextOf, Text } from './fields';
import type { Dto } from './operation';

export const CURSOR_LENGTH_MAX = 4_096;
export const PAGE_LIMIT_DEFAULT = 20;
export const PAGE_LIMIT_MAX = 100;

/** The query of every listing. */
export class CursorQuery {
  /** Where the page begins: the cursor of the previous page, unchanged. Absent: the first page. @example "WzE3NzIzNTkyMDAwMDBd" */
  @OptionalTextOf(CURSOR_LENGTH_MAX) cursor?: string;
}

/** The query of a listing with a page size chosen by the caller. */
export class LimitedQuery extends CursorQuery {
  /** The most items of a page, 1 to 100. Default 20. A page may have fewer before the last. @example 50 */
  @OptionalLimit(PAGE_LIMIT_MAX) limit?: number;

  /** The older name of `cursor`, which wins. @example "WzE3NzIzNTkyMDAwMDBd" */
  @OptionalTextOf(CURSOR_LENGTH_MAX) starting_after?: string;
}

/** Paging of the page shapes P1 (`results`) and P2 (`items`). */
export class Paging {
  /** The `cursor` of the next page; absent on the last page. @example "WzE3NzIzNTkyMDAwMDBd" */
  @OptionalText cursor?: string;

  /** Whether there is a next page. @example false */
  @Flag more: boolean;
}

/** Page shape P3; a resource's page adds `items`. */
export class ListPage {
  /** Always `list`. */
  @IsIn(['list']) type: 'list';

  /** Whether there is a next page; then `cursor` and `next_url` are present. @example false */
  @Flag has_more: boolean;

  /** Path of this page with its query, without the host. @example "/tenants?limit=20" */
  @Text url: string;

  /** Path of the next page, without the host; absent on the last page. @example "/tenants?limit=20&cursor=WzE3NzIzNTkyMDAwMDBd" */
  @OptionalText next_url?: string;

  /** The `cursor` of the next page; absent on the last page. @example "WzE3NzIzNTkyMDAwMDBd" */
  @OptionalText cursor?: string;
}

/** The base of a page: `paging`, and its items in the field `results` (shape P1), or in another one. */
export function pageOf<Item extends object, Name extends string = 'results'>(
  dto: Dto<Item>,
  name = 'results' as Name,
): Dto<{ paging: Paging } & Record<Name, Item[]>> {
  class Page {
    /** Whether, and by which cursor, the list continues. */
    @IsNested(Paging) paging!: Paging;
  }
  IsListOf(dto)(Page.prototype, name);
  return Page as Dto<Page & Record<Name, Item[]>>;
}
