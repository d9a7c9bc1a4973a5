import { IsArray } from 'class-validator';
import { IsListOf, OptionalText, Uuid } from '../core/fields';
import { defineOperations } from '../core/operation';

const LOADED_CHAINS_MAX = 500;
/** Size of one answer, in bytes of JSON; the chain that exceeds it is still included. */
export const LOADED_CHAINS_BYTES_MAX = 4 * 1024 * 1024;

/** A language of a workspace; an internal call may span many workspaces. */
export class TranslationKey {
  @Uuid workspace_id: string;

  /** The locale of the recipient's profile, in any spelling. Absent or invalid: only the translations of the default locale. */
  @OptionalText locale?: string;
}

export class LoadTranslations {
  @IsListOf(() => TranslationKey, LOADED_CHAINS_MAX) translations: TranslationKey[];
}

/** The translations into one language. */
export interface LoadedCatalogue {
  locale: string;
  /** Changes with every change of this locale in this workspace. */
  version: string;
  /** The text of a `.po` file. */
  po: string;
}

/** The existing catalogues of a fallback chain (`localeChain`), in its order. */
export interface LoadedChain {
  catalogues: LoadedCatalogue[];
}

export class LoadedTranslations {
  /**
   * In the order requested. A large answer ends early: it then has the first of the requested languages, at least one, and the
   * caller requests the rest.
   */
  @IsArray() translations: LoadedChain[];
}

/** A change of one locale (`contentChanged`) changes every chain that contains it. */
export const sendingTranslations = defineOperations('content.translations', 'internal', {
  load: {
    allowsUnstorable: true,
    summary: 'Load the translations for up to 500 languages with their fallbacks, in one statement',
    request: LoadTranslations,
    response: LoadedTranslations,
    repeatable: true,
  },
});
