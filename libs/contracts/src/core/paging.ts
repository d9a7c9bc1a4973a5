import { IsBoolean, IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';

export const CURSOR_LENGTH_MAX = 4_096;
export const PAGE_LIMIT_DEFAULT = 20;
export const PAGE_LIMIT_MAX = 100;

/** The query of every listing. */
export class CursorQuery {
  /** The end of the previous page; opaque. */
  @IsOptional()
  @IsString()
  @MaxLength(CURSOR_LENGTH_MAX)
  cursor?: string;
}

/** The query of a listing with a page size chosen by the caller. */
export class LimitedQuery extends CursorQuery {
  /** Maximum items of a page. Default `PAGE_LIMIT_DEFAULT`. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(PAGE_LIMIT_MAX)
  limit?: number;

  /** The older name of `cursor`; `cursor` wins. */
  @IsOptional()
  @IsString()
  @MaxLength(CURSOR_LENGTH_MAX)
  starting_after?: string;
}

/** Paging of the page shapes P1 (`results`) and P2 (`items`). */
export class Paging {
  @IsOptional()
  @IsString()
  cursor?: string;

  @IsBoolean()
  more!: boolean;
}

/** Page shape P3; a resource's page adds `items`. */
export class ListPage {
  @IsIn(['list'])
  type!: 'list';

  @IsBoolean()
  has_more!: boolean;

  /** Path of this page, without host. */
  @IsString()
  url!: string;

  /** Path of the next page, if any. */
  @IsOptional()
  @IsString()
  next_url?: string;

  @IsOptional()
  @IsString()
  cursor?: string;
}
