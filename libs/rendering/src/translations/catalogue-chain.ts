import type { Translator } from './translator';

/** Names of locales a chain asks, in this order. */
const CHAIN_MAX = 8;

/**
 * One translator of a workspace's catalogues, by names such as `en_US`: for `fr_CA` it asks `fr_CA`, then `fr`, then the
 * default locale and its language; each text falls back for itself. Case and `-` or `_` make no difference. A name that
 * `catalogueOf` does not know costs nothing; without any catalogue every text is its own translation.
 */
export function catalogueChain(
  locale: string | undefined,
  defaultLocale: string | undefined,
  catalogueOf: (locale: string) => Translator | undefined,
): Translator {
  const asked = [...namesOf(locale), ...namesOf(defaultLocale)].slice(0, CHAIN_MAX);
  return chainOf([...new Set(asked)].map(catalogueOf).filter((catalogue) => catalogue !== undefined));
}

/** Asks translators in their order, for each text anew. */
export function chainOf(chain: readonly Translator[]): Translator {
  return {
    translate(msgid, options) {
      for (const catalogue of chain) {
        const translation = catalogue.translate(msgid, options);
        if (translation !== undefined) return translation;
      }
      return undefined;
    },
  };
}

/** `fr_CA`, then `fr`; as `normalLocale` writes them. */
function namesOf(locale: string | undefined): string[] {
  if (!locale) return [];
  const name = normalLocale(locale);
  const names = [name];
  for (let end = name.lastIndexOf('_'); end > 0; end = name.lastIndexOf('_', end - 1)) names.push(name.slice(0, end));
  return names;
}

/** How names of locales are compared: `fr-ca` and `FR_CA` are one. */
export function normalLocale(locale: string): string {
  return locale.trim().slice(0, 50).toLowerCase().replaceAll('-', '_');
}
