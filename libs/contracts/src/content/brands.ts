import { Type } from 'class-transformer';
import { IsInt, IsISO8601, IsString, ValidateNested } from 'class-validator';
import { IsListOf, IsText, Optional, OptionalText } from '../core/fields';
import { Fits } from '../core/fits';
import { defineOperations } from '../core/operation';
import { CursorQuery, Paging } from '../core/paging';

import { BrandSettings, BrandSnippets } from './brand-settings';

export const BRAND_ID_LENGTH_MAX = 256;
export const BRAND_NAME_LENGTH_MAX = 512;
/** Size of `settings`, and of `snippets`, of one brand, as JSON. */
export const BRAND_OBJECT_BYTES_MAX = 256 * 1024;
/** Maximum brands of a page. */
export const BRANDS_PAGE_MAX = 100;
/** The brand that every workspace has and cannot delete; used if no other brand is named. */
export const DEFAULT_BRAND_ID = 'default';

/** The appearance of a brand. Absent or `null` fields are removed. */
export class BrandAppearance {
  @Optional(Fits(BrandSettings)) settings?: BrandSettings | null;

  /** Handlebars partials for templates. */
  @Optional(Fits(BrandSnippets)) snippets?: BrandSnippets | null;
}

export class BrandFields extends BrandAppearance {
  @IsText(1, BRAND_NAME_LENGTH_MAX) name!: string;
}

export class CreateBrand extends BrandFields {
  /** Default: a generated id. */
  @OptionalText(1, BRAND_ID_LENGTH_MAX) id?: string | null;
}

export class NamedBrand {
  @IsText(1, BRAND_ID_LENGTH_MAX) brand_id!: string;
}

export class ReplaceBrand extends BrandFields {
  @IsText(1, BRAND_ID_LENGTH_MAX) brand_id!: string;
}

export class Brand {
  @IsString() id!: string;

  @IsString() name!: string;

  /** ms since the epoch. */
  @IsInt() created!: number;

  /** ms since the epoch. */
  @IsInt() updated!: number;

  /** ms since the epoch; every change is published at once. */
  @IsInt() published!: number;

  /** ISO 8601; grows with every change. */
  @IsISO8601() version!: string;

  /** As stored by the client; empty if it has none. */
  @Fits(BrandSettings) settings!: BrandSettings;

  /** As stored by the client; absent if it has none. */
  @Optional(Fits(BrandSnippets)) snippets?: BrandSnippets;
}

export class ListBrands extends CursorQuery {}

export class BrandPage {
  @ValidateNested()
  @Type(() => Paging)
  paging!: Paging;

  @IsListOf(() => Brand) results!: Brand[];
}

export const brands = defineOperations('content.brands', 'brands', {
  create: {
    command: true,
    route: 'POST /brands',
    summary: 'Create a brand',
    request: CreateBrand,
    response: Brand,
    mayConflict: true,
  },
  list: {
    route: 'GET /brands',
    summary: 'List brands, by id',
    request: ListBrands,
    response: BrandPage,
  },
  retrieve: {
    route: 'GET /brands/:brand_id',
    scopedBy: 'brand_id',
    summary: 'Get a brand',
    request: NamedBrand,
    response: Brand,
  },
  replace: {
    command: true,
    route: 'PUT /brands/:brand_id',
    scopedBy: 'brand_id',
    summary: 'Replace a brand',
    request: ReplaceBrand,
    response: Brand,
  },
  remove: {
    command: true,
    route: 'DELETE /brands/:brand_id',
    scopedBy: 'brand_id',
    summary: 'Delete a brand; the default brand stays',
    request: NamedBrand,
    mayConflict: true,
  },
});
