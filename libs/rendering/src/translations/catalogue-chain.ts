import type { Translator } from './translator';

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
