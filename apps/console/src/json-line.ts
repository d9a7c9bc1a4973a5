const STRING = /"(?:[^"\\]|\\.)*"/y;
const SPACE = /[\s,:]*/y;
const SCALAR = /[^\s,:[\]{}"]+/y;
/** The path with which an error begins: `routing.channels[1].if`, `channels["a b"].providers`. */
const PATH = /^[\w$-]+(?:\.[\w$-]+|\[\d+\]|\["(?:[^"\\]|\\.)*"\])*/;
const KEY = /[\w$-]+|"(?:[^"\\]|\\.)*"/g;

/**
 * The line, from 1, of what an error about a JSON text speaks of: the value at the path with which it begins, or the one above it that there
 * is; else the line that it names itself.
 */
export function lineOfError(text: string, message: string): number | undefined {
  const path = PATH.exec(message)?.[0] ?? '';
  const keys = [...path.matchAll(KEY)].map(([key]) => (key.startsWith('"') ? unquoted(key) : key));
  const found = deepestOn(text, keys);
  const named = /\bline (\d+)/.exec(message)?.[1];
  if (found) return lineAt(text, found.start);
  return named === undefined ? undefined : Number(named);
}

/** The line, from 1, of a position in a text. */
export function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}

/** The range of the deepest value on a path of names and indices; that of all of the text where not even the first is there. */
export function rangeOf(text: string, path: readonly (string | number)[]): { from: number; to: number } {
  const from = deepestOn(text, path)?.value ?? matchEnd(SPACE, text, 0);
  return { from, to: '[{'.includes(text[from] ?? ' ') ? from + 1 : valueEnd(text, from) };
}

function deepestOn(text: string, path: readonly (string | number)[]) {
  let found: { start: number; value: number } | undefined;
  for (const key of path) {
    const entry = entryAt(text, found?.value ?? matchEnd(SPACE, text, 0), String(key));
    if (entry === undefined) break;
    found = entry;
  }
  return found;
}

/** Where a member of an object or an item of an array begins, and its value. */
function entryAt(text: string, container: number, key: string): { start: number; value: number } | undefined {
  const isObject = text[container] === '{';
  if (!isObject && text[container] !== '[') return undefined;
  let at = matchEnd(SPACE, text, container + 1);
  for (let index = 0; at < text.length && text[at] !== '}' && text[at] !== ']'; index += 1) {
    const start = at;
    const nameEnd = isObject ? matchEnd(STRING, text, at) : at;
    if (isObject && nameEnd === at) return undefined;
    const value = isObject ? matchEnd(SPACE, text, nameEnd) : at;
    const name = isObject ? unquoted(text.slice(start, nameEnd)) : String(index);
    if (name === key) return { start, value };
    const end = valueEnd(text, value);
    if (end === value) return undefined;
    at = matchEnd(SPACE, text, end);
  }
  return undefined;
}

function valueEnd(text: string, start: number) {
  let depth = 0;
  let at = start;
  do {
    if ('[{'.includes(text[at]!)) depth += 1;
    else if (']}'.includes(text[at]!)) depth -= 1;
    const end = Math.max(matchEnd(STRING, text, at), matchEnd(SCALAR, text, at));
    at = end > at ? end : at + 1;
    if (depth > 0) at = matchEnd(SPACE, text, at);
  } while (depth > 0 && at < text.length);
  return at;
}

/** The string of a literal; a wrong one stays as it is. */
function unquoted(literal: string) {
  try {
    return JSON.parse(literal) as string;
  } catch {
    return literal;
  }
}

/** Where a match at a position ends; the position itself without one. */
function matchEnd(pattern: RegExp, text: string, at: number) {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
