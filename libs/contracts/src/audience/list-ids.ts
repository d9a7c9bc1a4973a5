import { ServiceError } from '../core/errors';
import { assertStorable } from '../core/text';

/** Parts of a list's id, and of a pattern of ids: what stands between the dots. */
export const LIST_ID_PARTS_MAX = 4;
/** In UTF-8: ids stand in the keys of indexes. */
export const LIST_ID_BYTES_MAX = 512;

/** Stands for any one part. */
const ANY_PART = '*';
/** As the last part: stands for one or more. */
const ANY_PARTS = '**';

/** Refuses what is no id of a list. `name` stands for it in the message. @throws ServiceError `invalid_request` naming the rule. */
export function assertListId(id: string, name: string): void {
  refuse(name, id, problemOf(id) ?? (id.includes('*') ? 'must not contain *' : undefined));
}

/**
 * Refuses what is no pattern of list ids: an id of which parts may be `*`, any one part, and the last may be `**`, one or more
 * parts, where a part before it is named. An id is a pattern too, of itself alone. `name` stands for the pattern in the message.
 * @throws ServiceError `invalid_request` naming the rule.
 */
export function assertListPattern(pattern: string, name: string): void {
  refuse(name, pattern, problemOf(pattern) ?? problemOfWildcards(pattern.split('.')));
}

/** Every valid pattern that stands for the id, the id itself among them: at most 27, so that a pattern can be looked up like a name. */
export function patternsOfListId(id: string): string[] {
  const parts = id.split('.');
  const exact = variantsOf(parts);
  const open = parts.slice(1).flatMap((_, index) => variantsOf(parts.slice(0, index + 1)).filter(isNamed));
  return [...exact, ...open.map((head) => [...head, ANY_PARTS])].map((variant) => variant.join('.'));
}

/** The parts, each either itself or any. */
function variantsOf(parts: readonly string[]): string[][] {
  return parts.reduce<string[][]>(
    (variants, part) =>
      variants.flatMap((variant) => [
        [...variant, part],
        [...variant, ANY_PART],
      ]),
    [[]],
  );
}

const isNamed = (parts: readonly string[]): boolean => parts.some((part) => part !== ANY_PART);

/** What ids and patterns have in common. */
function problemOf(text: string): string | undefined {
  if (text === '') return 'must not be empty';
  if (Buffer.byteLength(text) > LIST_ID_BYTES_MAX) return `must not be longer than ${LIST_ID_BYTES_MAX} bytes`;
  if (/\s/.test(text)) return 'must not contain spaces';
  if (text.includes('#')) return 'must not contain #';
  const parts = text.split('.');
  if (parts.includes('')) return 'must not begin or end with a dot, nor have two in a row';
  return parts.length > LIST_ID_PARTS_MAX ? `must not have more than ${LIST_ID_PARTS_MAX} parts between dots` : undefined;
}

function problemOfWildcards(parts: readonly string[]): string | undefined {
  if (parts.some((part) => part.includes('*') && part !== ANY_PART && part !== ANY_PARTS)) {
    return 'must have * as a whole part, or ** as the last';
  }
  const head = parts.slice(0, -1);
  if (head.includes(ANY_PARTS)) return 'must have ** as its last part alone';
  if (parts.at(-1) === ANY_PARTS && !isNamed(head)) return 'must name a part before **';
  return undefined;
}

const SHOWN_LENGTH_MAX = 100;

function refuse(name: string, text: string, problem: string | undefined): void {
  if (problem === undefined) assertStorable(text, name);
  else throw new ServiceError('invalid_request', `${name} ${problem} (got ${JSON.stringify(text.slice(0, SHOWN_LENGTH_MAX))})`);
}
