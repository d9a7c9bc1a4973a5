import { IsIn } from 'class-validator';
import { Flag, IsListOf, IsNested, OptionalLimit, OptionalText, OptionalTextOf, Text } from './fields';
import type { Dto } from './operation';

export const CURSOR_LENGTH_MAX = 4_096;
export const PAGE_LIMIT_DEFAULT = 20;
export const PAGE_LIMIT_MAX = 100;

/** The query of every listing. */
export class CursorQuery {
  /** The end of the previous page; opaque. */
  @OptionalTextOf(CURSOR_LENGTH_MAX) cursor?: string;
}

/** The query of a listing with a page size chosen by the caller. */
export class LimitedQuery extends CursorQuery {
  /** Maximum items of a page. Default `PAGE_LIMIT_DEFAULT`. */
  @OptionalLimit(PAGE_LIMIT_MAX) limit?: number;

  /** The older name of `cursor`; `cursor` wins. */
  @OptionalTextOf(CURSOR_LENGTH_MAX) starting_after?: string;
}

/** Paging of the page shapes P1 (`results`) and P2 (`items`). */
export class Paging {
  @OptionalText cursor?: string;

  @Flag more: boolean;
}

/** Page shape P3; a resource's page adds `items`. */
export class ListPage {
  @IsIn(['list']) type: 'list';

  @Flag has_more: boolean;

  /** Path of this page, without host. */
  @Text url: string;

  /** Path of the next page, if any. */
  @OptionalText next_url?: string;

  @OptionalText cursor?: string;
}

/** The base of a page: `paging`, and its items in the field `results` (shape P1), or in another one. */
export function pageOf<Item extends object, Name extends string = 'results'>(
  dto: Dto<Item>,
  name = 'results' as Name,
): Dto<{ paging: Paging } & Record<Name, Item[]>> {
  class Page {
    @IsNested(Paging) paging!: Paging;
  }
  IsListOf(dto)(Page.prototype, name);
  return Page as Dto<Page & Record<Name, Item[]>>;
}
