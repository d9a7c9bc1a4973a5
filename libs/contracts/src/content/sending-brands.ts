import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsOptional, IsString, IsUUID, ValidateNested } from 'class-validator';
import { defineOperation } from '../core/operation';
import type { BrandSettings, BrandSnippet } from './brand-settings';

export const LOADED_BRANDS_MAX = 500;
/** Of one answer, in bytes of JSON; one brand more than fits is still answered. */
export const LOADED_BRANDS_BYTES_MAX = 4 * 1024 * 1024;

/** A brand of a workspace; the call is the system's own, over many workspaces at once. */
export class BrandKey {
  @IsUUID()
  workspace_id!: string;

  /** Absent: the default brand. What cannot be an id is nobody's. */
  @IsOptional()
  @IsString()
  brand_id?: string;
}

export class LoadBrands {
  @IsArray()
  @ArrayMaxSize(LOADED_BRANDS_MAX)
  @ValidateNested({ each: true })
  @Type(() => BrandKey)
  brands!: BrandKey[];
}

/** A brand as templates are rendered with it: nothing is left to inherit. */
export interface ResolvedBrand {
  id: string;
  name: string;
  /** Another one wherever something is not what it was, of the brand or of the default brand. */
  version: string;
  /** The email's header, head, footer and the footer's social links are the default brand's where `inheritDefault` says so. */
  settings: BrandSettings;
  /** Those of the default brand too, unless the brand has one of the same name. Each name once. */
  snippets: BrandSnippet[];
}

export class LoadedBrands {
  /**
   * In the order asked; `null` where there is no such brand. What is large ends the answer early: it is then a beginning of
   * what was asked, at least one, and the caller asks again for the rest.
   */
  @IsArray()
  brands!: (ResolvedBrand | null)[];
}

/**
 * A change of the default brand (`contentChanged` of its id) is one of every brand of the workspace: they may take parts
 * and snippets of it.
 */
export const sendingBrands = {
  load: defineOperation({
    pattern: 'content.brands.load',
    scope: 'internal',
    summary: 'Up to 500 brands as they are rendered, in one statement',
    request: LoadBrands,
    response: LoadedBrands,
    repeatable: true,
  }),
};
