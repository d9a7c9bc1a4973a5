import { canonicalLocale } from '@tidings/contracts/content/locale';
import { LruCache } from '../lru-cache';

export type Direction = 'ltr' | 'rtl';

export interface Language {
  readonly tag: string;
  readonly direction: Direction;
}

/** Of a locale that is none, or not said. */
export const UNKNOWN_LANGUAGE: Language = { tag: 'und', direction: 'ltr' };

/** Which way texts of a locale are read. */
export const directionOf = (locale: string | undefined): Direction => (languageOf(locale) ?? UNKNOWN_LANGUAGE).direction;

const LANGUAGES_CACHED = 500;
const languages = new LruCache<{ readonly language: Language | undefined }>(LANGUAGES_CACHED, 20_000);

const RIGHT_TO_LEFT = new Set(['Arab', 'Hebr', 'Thaa', 'Syrc', 'Nkoo', 'Adlm', 'Rohg', 'Mand', 'Samr']);

/** How HTML names a locale (`fr-FR`) and which way it is read; `undefined` for what is no locale. */
export function languageOf(locale: string | undefined): Language | undefined {
  if (!locale) return undefined;
  return languages.get(locale, () => ({ language: readLanguage(locale) })).language;
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
