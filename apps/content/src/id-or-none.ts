import { isStorableText } from '@tidings/contracts/core/text';

/** What nothing is called: ids have at least one character. */
export const NO_ID = '';

/**
 * The text as an id to look up, `NO_ID` where nothing can be called so: among many keys, one that is no id is not found,
 * and stops no other.
 */
export function idOrNone(text: string, lengthMax: number): string {
  return text.length <= lengthMax && isStorableText(text) ? text : NO_ID;
}
