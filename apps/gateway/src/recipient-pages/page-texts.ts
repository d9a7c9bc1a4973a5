import { isLocale, localeChain } from '@tidings/contracts/content/locale';
import type { TranslatedTexts } from '@tidings/contracts/content/recipient-pages';
import { CHANNEL_TEXTS, PAGE_TEXTS, TRANSLATED_TEXTS } from './translated-texts';

/** Translates a text of a page, and fills `{name}` with the values. Without a translation it is the text itself. */
export type TranslateText = (text: string, values?: Readonly<Record<string, string>>) => string;

/** Texts of every page. */
export const OWN_TEXTS: readonly string[] = [...PAGE_TEXTS, ...Object.values(CHANNEL_TEXTS)];

/**
 * Translates by the workspace's translations into the recipient's language, then by the product's, then by those of the default locale.
 * @param requested the texts of `translations`, in their order.
 */
export function pageLanguage(locale: string | undefined, requested: readonly string[], translations: readonly TranslatedTexts[]) {
  const chain = localeChain(locale);
  const [own, ofDefault] = [true, false].map((isOwn) => translations.filter((one) => chain.includes(one.locale) === isOwn));
  const builtIn = chain.find((one) => Object.hasOwn(TRANSLATED_TEXTS, one));
  const indexes = new Map(requested.map((text, index) => [text, index]));
  const find = (among: readonly TranslatedTexts[], text: string) => {
    const index = indexes.get(text);
    return index === undefined ? undefined : among.map(({ texts }) => texts[index]).find((found) => typeof found === 'string');
  };
  const translate: TranslateText = (text, values = {}) => {
    const translated = find(own!, text) ?? TRANSLATED_TEXTS[builtIn ?? '']?.[text] ?? find(ofDefault!, text) ?? text;
    return translated.replace(/\{(\w+)\}/g, (whole, name: string) => (Object.hasOwn(values, name) ? values[name]! : whole));
  };
  return { locale: own![0]?.locale ?? builtIn ?? 'en', translate };
}

/** The locale that a browser prefers; undefined where it names none. */
export function preferredLocale(acceptLanguage: string | undefined): string | undefined {
  const wanted = (acceptLanguage ?? '')
    .slice(0, ACCEPT_LANGUAGE_LENGTH_MAX)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((text) => text.trim());
      const weight = parameters.find((text) => text.startsWith('q='))?.slice('q='.length);
      return { tag, weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ tag, weight }) => isLocale(tag) && weight > 0);
  return wanted.sort((one, other) => other.weight - one.weight)[0]?.tag;
}

const ACCEPT_LANGUAGE_LENGTH_MAX = 1_000;
