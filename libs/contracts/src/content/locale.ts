import { ServiceError } from '../core/errors';
import { isStorableText } from '../core/text';

/** Longest name of a locale that translations may have. */
export const LOCALE_LENGTH_MAX = 64;

/** Whose translations count where the recipient's language has none. */
export const DEFAULT_LOCALE = 'en_US';

/** Longest chain that `localeChain` makes with `DEFAULT_LOCALE` as its fallback. */
export const LOCALE_CHAIN_MAX = 5;

const LOCALE = /^[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*(?:\.[A-Za-z0-9-]{1,16})?(?:@[A-Za-z0-9]{1,16})?$/;

/** Whether a text is the name of a language: `fr`, `zh-Hans-CN`, and as systems write it, `ca_ES.UTF-8@valencia`. */
export function isLocale(text: string): boolean {
  return text.length <= LOCALE_LENGTH_MAX && LOCALE.test(text);
}

/** How much of what was given is repeated. */
const SHOWN_LENGTH_MAX = 80;

/** @throws ServiceError `invalid_request` for what is no name of a language; `path` says where it stands. */
export function assertLocale(text: string, path: string): void {
  if (isLocale(text)) return;
  const given = JSON.stringify(text.slice(0, SHOWN_LENGTH_MAX).toWellFormed());
  throw new ServiceError('invalid_request', `${path} must be the name of a language, such as fr or fr_CA (got ${given})`);
}

/**
 * The one spelling of a locale: `en-us`, `EN_us` and `en_US.UTF-8` are `en_US`, `zh-hans-cn` is `zh_Hans_CN`, `ca_ES@VALENCIA`
 * is `ca_ES@valencia`. Any text has one; that of the spelling is the spelling itself.
 */
export function canonicalLocale(locale: string): string {
  const [place, ...modifiers] = locale.split('@');
  const name = place!.replace(/\..*$/s, '').replaceAll('-', '_').split('_').map(spelled).join('_');
  return [name, ...modifiers.map((modifier) => modifier.toLowerCase())].join('@');
}

function spelled(part: string, index: number): string {
  const lower = part.toLowerCase();
  if (index === 0) return lower;
  if (/^[a-z]{2}$/.test(lower)) return lower.toUpperCase();
  return /^[a-z]{4}$/.test(lower) ? lower[0]!.toUpperCase() + lower.slice(1) : lower;
}

/**
 * Where content in a language is looked for, best first: the locale itself, the locale without what comes last (`zh_Hans_CN`:
 * `zh_Hans`), the language, then the same of `fallback`. Canonical spellings, each once, at most `LOCALE_CHAIN_MAX`. What is
 * no locale, or too long for one, adds nothing.
 */
export function localeChain(locale: string | null | undefined, fallback?: string): string[] {
  return [...new Set([...ownChain(locale ?? ''), ...ownChain(fallback ?? '')])];
}

function ownChain(locale: string): string[] {
  const exact = locale.length <= LOCALE_LENGTH_MAX && isStorableText(locale) ? canonicalLocale(locale) : '';
  if (!/^[a-z]/.test(exact)) return [];
  const shorter = exact.replace(/[_@][^_@]*$/, '');
  const language = /^[^_@]*/.exec(exact)![0];
  return [exact, shorter, language];
}
