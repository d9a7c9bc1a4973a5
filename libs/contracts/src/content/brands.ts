import { Int, IsoDate, OptionalTextOf, Text, TextOf } from '../core/fields';
import { Fits, OptionalFits } from '../core/fits';
import { defineOperations } from '../core/operation';
import { CursorQuery, pageOf } from '../core/paging';

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
  @OptionalFits(BrandSettings) settings?: BrandSettings | null;

  /** Handlebars partials for templates. */
  @OptionalFits(BrandSnippets) snippets?: BrandSnippets | null;
}

export class BrandFields extends BrandAppearance {
  @TextOf(1, BRAND_NAME_LENGTH_MAX) name: string;
}

export class CreateBrand extends BrandFields {
  /** Default: a generated id. */
  @OptionalTextOf(1, BRAND_ID_LENGTH_MAX) id?: string | null;
}

export class NamedBrand {
  @TextOf(1, BRAND_ID_LENGTH_MAX) brand_id: string;
}

export class ReplaceBrand extends BrandFields {
  @TextOf(1, BRAND_ID_LENGTH_MAX) brand_id: string;
}

export class Brand {
  @Text id: string;

  @Text name: string;

  /** ms since the epoch. */
  @Int created: number;

  /** ms since the epoch. */
  @Int updated: number;

  /** ms since the epoch; every change is published at once. */
  @Int published: number;

  /** ISO 8601; grows with every change. */
  @IsoDate version: string;

  /** As stored by the client; empty if it has none. */
  @Fits(BrandSettings) settings: BrandSettings;

  /** As stored by the client; absent if it has none. */
  @OptionalFits(BrandSnippets) snippets?: BrandSnippets;
}

class BrandPage extends pageOf(Brand) {}

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
    request: CursorQuery,
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
