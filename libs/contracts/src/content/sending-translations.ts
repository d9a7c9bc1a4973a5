import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsOptional, IsString, IsUUID, ValidateNested } from 'class-validator';
import { defineOperation } from '../core/operation';

const LOADED_CHAINS_MAX = 500;
/** Of one answer, in bytes of JSON; one chain more than fits is still answered. */
export const LOADED_CHAINS_BYTES_MAX = 4 * 1024 * 1024;

/** A language of a workspace; the call is the system's own, over many workspaces at once. */
export class TranslationKey {
  @IsUUID()
  workspace_id!: string;

  /** As the recipient's profile has it, in any spelling. Absent, or no locale at all: the default's translations alone. */
  @IsOptional()
  @IsString()
  locale?: string;
}

export class LoadTranslations {
  @IsArray()
  @ArrayMaxSize(LOADED_CHAINS_MAX)
  @ValidateNested({ each: true })
  @Type(() => TranslationKey)
  translations!: TranslationKey[];
}

/** The translations into one language. */
export interface LoadedCatalogue {
  locale: string;
  /** Another one after every change of this locale in this workspace. */
  version: string;
  /** The text of a `.po` file. */
  po: string;
}

/** The catalogues in which a translation is looked for (`localeChain`), as far as they exist; the first first. */
export interface LoadedChain {
  catalogues: LoadedCatalogue[];
}

export class LoadedTranslations {
  /**
   * In the order asked. What is large ends the answer early: it is then a beginning of what was asked, at least one, and the
   * caller asks again for the rest.
   */
  @IsArray()
  translations!: LoadedChain[];
}

/** A change of one locale (`contentChanged`) is one of every chain that it stands in. */
export const sendingTranslations = {
  load: defineOperation({
    pattern: 'content.translations.load',
    scope: 'internal',
    summary: 'The translations for up to 500 languages, each with those it falls back to, in one statement',
    request: LoadTranslations,
    response: LoadedTranslations,
    repeatable: true,
  }),
};
