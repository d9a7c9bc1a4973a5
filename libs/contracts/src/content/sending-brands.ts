import { IsArray } from 'class-validator';
import { IsListOf, OptionalText, Uuid } from '../core/fields';
import { defineOperations } from '../core/operation';
import type { BrandSettings, BrandSnippet } from './brand-settings';

export const LOADED_BRANDS_MAX = 500;
/** Size of one answer, in bytes of JSON; the brand that exceeds it is still included. */
export const LOADED_BRANDS_BYTES_MAX = 4 * 1024 * 1024;

/** A brand of a workspace; an internal call may span many workspaces. */
export class BrandKey {
  @Uuid workspace_id: string;

  /** Default: the default brand. A text that cannot be an id matches no brand. */
  @OptionalText brand_id?: string;
}

export class LoadBrands {
  @IsListOf(() => BrandKey, LOADED_BRANDS_MAX) brands: BrandKey[];
}

/** A brand for rendering, with inherited parts resolved. */
export interface ResolvedBrand {
  id: string;
  name: string;
  /** Changes with every change of the brand or of the default brand. */
  version: string;
  /** The email's header, head, footer and the footer's social links are the default brand's where `inheritDefault` is set. */
  settings: BrandSettings;
  /** Snippets of the brand and of the default brand; the brand's own win. Each name once. */
  snippets: BrandSnippet[];
}

export class LoadedBrands {
  /**
   * In the order requested; `null` for an unknown brand. A large answer ends early: it then has the first of the requested brands,
   * at least one, and the caller requests the rest.
   */
  @IsArray() brands: (ResolvedBrand | null)[];
}

/**
 * A change of the default brand (`contentChanged` of its id) changes every brand of the workspace, since they may inherit its parts
 * and snippets.
 */
export const sendingBrands = defineOperations('content.brands', 'internal', {
  load: {
    allowsUnstorable: true,
    summary: 'Load up to 500 brands for rendering, in one statement',
    request: LoadBrands,
    response: LoadedBrands,
    repeatable: true,
  },
});
