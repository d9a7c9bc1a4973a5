import { isStorableText } from '@tidings/contracts/core/text';

/** The id of nothing: ids have at least one character. */
export const NO_ID = '';

/**
 * The text as an id to look up; `NO_ID` where it cannot be an id: among many keys, an invalid one is not found and does not
 * affect the others.
 */
export function idOrNone(text: string, lengthMax: number) {
  return text.length <= lengthMax && isStorableText(text) ? text : NO_ID;
}
