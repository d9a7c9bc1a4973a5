import { canonicalLocale } from '@tidings/contracts/content/locale';
import { CompileCache } from '../compile-cache';

export type Direction = 'ltr' | 'rtl';

/** Language tag and direction of a locale. */
export interface Language {
  readonly tag: string;
  readonly direction: Direction;
}

/** Language of an invalid or missing locale. */
const UNKNOWN_LANGUAGE: Language = { tag: 'und', direction: 'ltr' };

const languages = new CompileCache<Language>(500, 20_000);

const RIGHT_TO_LEFT = new Set(['Arab', 'Hebr', 'Thaa', 'Syrc', 'Nkoo', 'Adlm', 'Rohg', 'Mand', 'Samr']);

/** HTML language tag (`fr-FR`) and direction of a locale. */
export function languageOf(locale = ''): Language {
  return languages.getOrMake(locale, () => readLanguage(locale));
}

function readLanguage(locale: string): Language {
  try {
    const [name] = canonicalLocale(locale).split('@');
    const parsed = new Intl.Locale(name!.replaceAll('_', '-'));
    return { tag: parsed.toString(), direction: RIGHT_TO_LEFT.has(parsed.maximize().script ?? '') ? 'rtl' : 'ltr' };
  } catch {
    return UNKNOWN_LANGUAGE;
  }
}
