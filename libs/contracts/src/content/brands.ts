import { Int, IsoDate, OptionalTextOf, Text, TextOf } from '../core/fields';
import { Fits, OptionalFits } from '../core/fits';
import { declaredFields, FieldsOfAnswer } from '../core/known-fields';
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
  /**
   * Colours and parts of messages, at most 256 KB as JSON; unknown fields are stored too.
   * @example { "colors": { "primary": "#9D3789" } }
   */
  @OptionalFits(BrandSettings) settings?: BrandSettings | null;

  /** Handlebars partials for templates, at most 256 KB as JSON. */
  @OptionalFits(BrandSnippets) snippets?: BrandSnippets | null;
}

/** The known fields of `settings` and `snippets`. */
export const APPEARANCE_FIELDS = { settings: declaredFields(BrandSettings), snippets: declaredFields(BrandSnippets) };

export class BrandFields extends BrandAppearance {
  /** Display name; templates read it as `brand.name`. @example "Acme" */
  @TextOf(1, BRAND_NAME_LENGTH_MAX) name: string;
}

export class CreateBrand extends BrandFields {
  /** Id of the brand, chosen by you. Default: a generated one, `brd_…`. @example "acme" */
  @OptionalTextOf(1, BRAND_ID_LENGTH_MAX) id?: string | null;
}

export class NamedBrand {
  /** Id of the brand; every workspace has the brand `default`. @example "acme" */
  @TextOf(1, BRAND_ID_LENGTH_MAX) brand_id: string;
}

@FieldsOfAnswer(() => Brand)
export class ReplaceBrand extends BrandFields {
  /** Id of the brand; every workspace has the brand `default`. @example "acme" */
  @TextOf(1, BRAND_ID_LENGTH_MAX) brand_id: string;
}

export class Brand {
  /** Id of the brand. @example "acme" */
  @Text id: string;

  /** Display name. @example "Acme" */
  @Text name: string;

  /** When it was created, ms since the epoch. @example 1772359200000 */
  @Int created: number;

  /** When it was last changed, ms since the epoch. @example 1772359200000 */
  @Int updated: number;

  /** Equal to `updated`, ms since the epoch: every change is published at once. @example 1772359200000 */
  @Int published: number;

  /** The same instant as ISO 8601; different after every change. @example "2026-03-01T10:00:00.000Z" */
  @IsoDate version: string;

  /** As put; empty if there are none. @example { "colors": { "primary": "#9D3789" } } */
  @Fits(BrandSettings) settings: BrandSettings;

  /** As put; absent if there are none. */
  @OptionalFits(BrandSnippets) snippets?: BrandSnippets;
}

/** @property results The brands of this page, at most 100, by id. */
class BrandPage extends pageOf(Brand) {}

export const brands = defineOperations('content.brands', 'brands', {
  /**
   * Answers 409 for an id in use. What cannot be rendered is refused, with its path and line.
   * @example { "id": "acme", "name": "Acme", "settings": { "colors": { "primary": "#9D3789" } } }
   */
  create: {
    audit: 'brand:created',
    auditTarget: ['id'],
    command: true,
    route: 'POST /brands',
    summary: 'Create a brand',
    request: CreateBrand,
    knownFields: declaredFields(CreateBrand, APPEARANCE_FIELDS),
    response: Brand,
    mayConflict: true,
  },
  /** All brands of the workspace, with their settings. */
  list: {
    route: 'GET /brands',
    summary: 'List brands, by id',
    request: CursorQuery,
    response: BrandPage,
  },
  /** The brand as put: parts inherited from the default brand are not filled in. */
  retrieve: {
    route: 'GET /brands/:brand_id',
    scopedBy: 'brand_id',
    summary: 'Get a brand',
    request: NamedBrand,
    response: Brand,
  },
  /**
   * Fields that are left out are removed. Answers 404 for a brand that does not exist.
   * @example { "name": "Acme", "settings": { "colors": { "primary": "#9D3789" } } }
   */
  replace: {
    audit: 'brand:replaced',
    command: true,
    route: 'PUT /brands/:brand_id',
    scopedBy: 'brand_id',
    summary: 'Replace a brand',
    request: ReplaceBrand,
    knownFields: declaredFields(ReplaceBrand, APPEARANCE_FIELDS),
    response: Brand,
  },
  /** References to the brand stay, and have no effect. The default brand is refused with 409. */
  remove: {
    audit: 'brand:deleted',
    command: true,
    route: 'DELETE /brands/:brand_id',
    scopedBy: 'brand_id',
    summary: 'Delete a brand; the default brand stays',
    request: NamedBrand,
    mayConflict: true,
  },
});
