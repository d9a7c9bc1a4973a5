import type { ServiceError } from '@tidings/contracts/core/errors';
import { invalid } from '@tidings/contracts/core/refusals';

/** Bounds of a template: characters and `{{…}}` tags. */
export const TEMPLATE_CHARS_MAX = 500_000;
const TAGS_MAX = 5_000;
/** Nesting depth of blocks; each `{{else if}}` counts as one. */
export const NESTING_MAX = 100;
/** Nesting depth of partials; bounds a partial that calls itself. */
export const PARTIAL_DEPTH_MAX = 20;
/** Nesting depth of subexpressions. */
export const EXPRESSION_DEPTH_MAX = 30;

/** A tag costs as many characters of Markdown; one character of Markdown costs as many plain ones. */
const CHARS_PER_TAG = 100;
const PLAIN_PER_CHAR = 20;

const TAG = /\{\{(?:[{~&]|\{\{)?\s*(#|\/|\^(?!~?\}\})|else\s+[^\s~}])?([^}]*)/g;

/**
 * Refuses templates that Handlebars' parser is too slow for: its time grows with the square of the depth. A rough count before
 * parsing, which may include tags in comments. Throws `invalid_request`.
 */
export function assertReadable(source: string): void {
  if (source.length > TEMPLATE_CHARS_MAX) throw templateError(`The text has more than ${TEMPLATE_CHARS_MAX} characters`);
  /** Depth that each open block adds with its `else if`. */
  const open: number[] = [];
  let depth = 0;
  let tags = 0;
  for (const { index, 1: kind, 2: inside = '' } of source.matchAll(TAG)) {
    tags += 1;
    if (tags > TAGS_MAX) throw templateError(`The text has more than ${TAGS_MAX} {{…}}`, lineAt(source, index));
    if (inside.includes('(') && parenthesesIn(inside) > EXPRESSION_DEPTH_MAX) {
      throw templateError(`more than ${EXPRESSION_DEPTH_MAX} expressions within one another`, lineAt(source, index));
    }
    if (kind === undefined) continue;
    if (kind === '/') {
      depth -= open.pop() ?? 0;
      continue;
    }
    if (kind.startsWith('else') && open.length > 0) open.push((open.pop() ?? 0) + 1);
    else open.push(1);
    depth += 1;
    if (depth > NESTING_MAX) throw templateError(`more than ${NESTING_MAX} blocks within one another`, lineAt(source, index));
  }
}

/** Cost of compiling a text, in characters of Markdown (unit of `INLINE_COMPILE_MAX`). */
export function compileCost(source: string): number {
  let tags = 0;
  for (let at = source.indexOf('{{'); at >= 0; at = source.indexOf('{{', at + 2)) tags += 1;
  return source.length / PLAIN_PER_CHAR + tags * CHARS_PER_TAG;
}

function parenthesesIn(text: string) {
  let depth = 0;
  let deepest = 0;
  for (const [found] of text.matchAll(/[()]/g)) {
    depth += found === '(' ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** The line of an offset, from 1. */
export function lineAt(source: string, index: number): number {
  return source.slice(0, index).split('\n').length;
}

/** The `invalid_request` error of a template, with its line where known. */
export function templateError(sentence: string, line?: number): ServiceError {
  return invalid(line === undefined ? sentence : `Template line ${line}: ${sentence}`);
}
