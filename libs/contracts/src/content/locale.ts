import { LRUCache } from 'lru-cache';
import { isStorableText } from '../core/text';
import { invalidValue } from '../core/refusals';

/** Maximum characters of a locale of translations. */
export const LOCALE_LENGTH_MAX = 64;

/** The locale of translations for recipients whose language has none. */
export const DEFAULT_LOCALE = 'en_US';

/** Maximum length of a `localeChain` with `DEFAULT_LOCALE` as fallback. */
export const LOCALE_CHAIN_MAX = 5;

const LOCALE = /^[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*(?:\.[A-Za-z0-9-]{1,16})?(?:@[A-Za-z0-9]{1,16})?$/;

/** Whether a text is the name of a language: `fr`, `zh-Hans-CN`, or in POSIX notation `ca_ES.UTF-8@valencia`. */
export function isLocale(text: string): boolean {
  return text.length <= LOCALE_LENGTH_MAX && LOCALE.test(text);
}

/** Refuses a text that is not the name of a language; `path` names it. @throws ServiceError `invalid_request`. */
export function assertLocale(text: string, path: string): void {
  if (!isLocale(text)) throw invalidValue(path, 'the name of a language, such as fr or fr_CA', text);
}

/**
 * The canonical spelling of a locale: `en-us`, `EN_us` and `en_US.UTF-8` become `en_US`, `zh-hans-cn` `zh_Hans_CN`,
 * `ca_ES@VALENCIA` `ca_ES@valencia`. Accepts any text. Idempotent.
 */
export function canonicalLocale(locale: string): string {
  const [base, ...modifiers] = locale.split('@');
  const name = base!.replace(/\..*$/s, '').replaceAll('-', '_').split('_').map(spelled).join('_');
  return [name, ...modifiers.map((modifier) => modifier.toLowerCase())].join('@');
}

function spelled(part: string, index: number) {
  const lower = part.toLowerCase();
  if (index === 0) return lower;
  if (/^[a-z]{2}$/.test(lower)) return lower.toUpperCase();
  return /^[a-z]{4}$/.test(lower) ? lower[0]!.toUpperCase() + lower.slice(1) : lower;
}

/**
 * The fallback chain of a locale, best first: the locale itself, the locale without its last part (`zh_Hans_CN`: `zh_Hans`), the
 * language, then the same of `fallback`. Canonical spellings, each once, at most `LOCALE_CHAIN_MAX`. A text that is no locale, or
 * too long, adds nothing.
 */
export function localeChain(locale: string | null | undefined, fallback?: string): string[] {
  return [...new Set([...ownChain(locale ?? ''), ...ownChain(fallback ?? '')])];
}

/** Each message needs the chain of its recipient's locale, and there are few locales. */
const chains = new LRUCache<string, readonly string[]>({ max: 1_000, memoMethod: chainOf });

function ownChain(locale: string) {
  return locale.length <= LOCALE_LENGTH_MAX ? chains.memo(locale) : [];
}

function chainOf(locale: string) {
  const exact = isStorableText(locale) ? canonicalLocale(locale) : '';
  if (!/^[a-z]/.test(exact)) return [];
  const shorter = exact.replace(/[_@][^_@]*$/, '');
  const language = /^[^_@]*/.exec(exact)![0];
  return [exact, shorter, language];
}
