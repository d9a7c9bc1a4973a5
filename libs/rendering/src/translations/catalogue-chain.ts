import type { Translator } from './translator';

/** Queries translators in order for each text; the first translation is used. */
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
