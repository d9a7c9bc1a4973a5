import { canonicalLocale } from '@tidings/contracts/content/locale';
import { CompileCache } from '../compile-cache';

export type Direction = 'ltr' | 'rtl';

export interface Language {
  readonly tag: string;
  readonly direction: Direction;
}

/** Language of an invalid or missing locale. */
export const UNKNOWN_LANGUAGE: Language = { tag: 'und', direction: 'ltr' };

/** Text direction of a locale. */
export const directionOf = (locale: string | undefined): Direction => (languageOf(locale) ?? UNKNOWN_LANGUAGE).direction;

const LANGUAGES_CACHED = 500;
const languages = new CompileCache<{ readonly language: Language | undefined }>(LANGUAGES_CACHED, 20_000);

const RIGHT_TO_LEFT = new Set(['Arab', 'Hebr', 'Thaa', 'Syrc', 'Nkoo', 'Adlm', 'Rohg', 'Mand', 'Samr']);

/** HTML language tag (`fr-FR`) and direction of a locale; `undefined` for an invalid one. */
export function languageOf(locale: string | undefined): Language | undefined {
  if (!locale) return undefined;
  return languages.getOrMake(locale, () => ({ language: readLanguage(locale) })).language;
}

function readLanguage(locale: string): Language | undefined {
  try {
    const [name] = canonicalLocale(locale).split('@');
    const parsed = new Intl.Locale(name!.replaceAll('_', '-'));
    return { tag: parsed.toString(), direction: RIGHT_TO_LEFT.has(parsed.maximize().script ?? '') ? 'rtl' : 'ltr' };
  } catch {
    return undefined;
  }
}
