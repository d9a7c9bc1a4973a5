import { assertStorable } from '../core/text';
import { Optional, TextOf } from '../core/fields';
import { invalid, shown } from '../core/refusals';

/** Maximum parts, separated by dots, of a list's id and of a pattern of ids. */
export const LIST_ID_PARTS_MAX = 4;
/** UTF-8 bytes: ids are part of index keys. */
export const LIST_ID_BYTES_MAX = 512;
/**
 * Id of the list, chosen by you: one to four parts separated by dots, without spaces, `*` and `#`; at most 512 bytes in UTF-8.
 * @example "team.readers"
 */
export const ListId = TextOf(1, LIST_ID_BYTES_MAX);
export const OptionalListId = Optional(ListId);

/** Matches any one part. */
const ANY_PART = '*';
/** As the last part: matches one or more parts. */
const ANY_PARTS = '**';

/** Refuses an invalid id of a list. `name` names it in the message. @throws ServiceError `invalid_request` naming the rule. */
export function assertListId(id: string, name: string): void {
  refuse(name, id, problemOf(id) ?? (id.includes('*') ? 'must not contain *' : undefined));
}

/**
 * Refuses an invalid pattern of list ids: an id whose parts may be `*` (any one part), and whose last part may be `**` (one or more
 * parts) if an earlier part is no wildcard. An id is a pattern that matches itself. `name` names the pattern in the message.
 * @throws ServiceError `invalid_request` naming the rule.
 */
export function assertListPattern(pattern: string, name: string): void {
  refuse(name, pattern, problemOf(pattern) ?? problemOfWildcards(pattern.split('.')));
}

/** Every valid pattern that matches the id, itself included: at most 27, so that patterns can be found by equality. */
export function patternsOfListId(id: string): string[] {
  const parts = id.split('.');
  const exact = variantsOf(parts);
  const open = parts.slice(1).flatMap((_, index) => variantsOf(parts.slice(0, index + 1)).filter(isNamed));
  return [...exact, ...open.map((head) => [...head, ANY_PARTS])].map((variant) => variant.join('.'));
}

/** All variants of the parts, each part itself or `*`. */
function variantsOf(parts: readonly string[]) {
  return parts.reduce<string[][]>(
    (variants, part) =>
      variants.flatMap((variant) => [
        [...variant, part],
        [...variant, ANY_PART],
      ]),
    [[]],
  );
}

const isNamed = (parts: readonly string[]) => parts.some((part) => part !== ANY_PART);

/** The violated rule that ids and patterns share, if any. */
function problemOf(text: string) {
  if (text === '') return 'must not be empty';
  if (Buffer.byteLength(text) > LIST_ID_BYTES_MAX) return `must not be longer than ${LIST_ID_BYTES_MAX} bytes`;
  if (/\s/.test(text)) return 'must not contain spaces';
  if (text.includes('#')) return 'must not contain #';
  const parts = text.split('.');
  if (parts.includes('')) return 'must not begin or end with a dot, nor have two in a row';
  return parts.length > LIST_ID_PARTS_MAX ? `must not have more than ${LIST_ID_PARTS_MAX} parts between dots` : undefined;
}

function problemOfWildcards(parts: readonly string[]) {
  if (parts.some((part) => part.includes('*') && part !== ANY_PART && part !== ANY_PARTS)) {
    return 'must have * as a whole part, or ** as the last';
  }
  const head = parts.slice(0, -1);
  if (head.includes(ANY_PARTS)) return 'must have ** as its last part alone';
  if (parts.at(-1) === ANY_PARTS && !isNamed(head)) return 'must name a part before **';
  return undefined;
}

function refuse(name: string, text: string, problem: string | undefined) {
  if (problem === undefined) assertStorable(text, name);
  else throw invalid(`${name} ${problem} (got ${shown(text)})`);
}
