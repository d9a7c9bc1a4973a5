/// <reference lib="es2024.string" />
import { invalid, requireObject } from './refusals';

/** Maximum objects and arrays around a value. */
export const NESTING_DEPTH_MAX = 64;

/** Characters of a key that a path shows. */
const KEY_LENGTH_SHOWN_MAX = 100;

/**
 * Refuses values that PostgreSQL cannot store in text or jsonb, or that JSON cannot represent unchanged: NUL characters, lone
 * surrogates, non-finite numbers, integers beyond ±(2^53 − 1), a `__proto__` key, more than `NESTING_DEPTH_MAX` levels.
 * `value` is parsed JSON; `path` names it in the message (`''`: the request itself).
 * @throws ServiceError `invalid_request`.
 */
export function assertStorable(value: unknown, path: string): void {
  const problem = findProblem(value, 0);
  if (!problem) return;
  const at = problem.keys.reduceRight<string>((above, key) => (typeof key === 'number' ? `${above}[${key}]` : keyPath(above, key)), path);
  throw invalid(`${at === '' ? 'The request' : at} ${problem.sentence}`);
}

/** What is wrong with a value, and the keys that lead to it, the innermost first. */
interface Problem {
  sentence: string;
  keys: (string | number)[];
}

/** The first invalid value. Paths are built only on the way back from it: nearly all values are valid. The depth limit bounds the recursion. */
function findProblem(value: unknown, depth: number): Problem | undefined {
  switch (typeof value) {
    case 'string':
      return isStorableText(value) ? undefined : problemOf(mustNotContain(value));
    case 'number':
      return isStorableNumber(value) ? undefined : problemOf(`must be a number between ±(2^53 − 1)${numberSeen(value)}`);
    case 'boolean':
    case 'undefined':
      return undefined;
    case 'object':
      break;
    default:
      return problemOf('must be a JSON value');
  }
  if (value === null) return undefined;
  if (depth >= NESTING_DEPTH_MAX) return problemOf(`is nested deeper than ${NESTING_DEPTH_MAX} levels`);
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const problem = findProblem(value[index], depth + 1);
      if (problem) return within(problem, index);
    }
    return undefined;
  }
  for (const key in value) {
    if (key === '__proto__' || !isStorableText(key)) return problemOf(`must not have a key ${badKey(key)}`);
    const problem = findProblem((value as Record<string, unknown>)[key], depth + 1);
    if (problem) return within(problem, key);
  }
  return undefined;
}

function problemOf(sentence: string): Problem {
  return { sentence, keys: [] };
}

function within(problem: Problem, key: string | number) {
  problem.keys.push(key);
  return problem;
}

/** Whether PostgreSQL can store the text: no NUL, no lone surrogate. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function isStorableNumber(number: number) {
  return Number.isSafeInteger(number) || (Number.isFinite(number) && !Number.isInteger(number));
}

/** Shows the number approximately: JSON parsing has rounded an integer beyond the bounds. */
function numberSeen(value: number) {
  return Number.isFinite(value) ? ` (got about ${value.toPrecision(4)})` : ' (got one that is larger than any double)';
}

/** The end of a sentence about a text that is not storable. */
export function mustNotContain(text: string): string {
  return `must not contain ${badText(text)}`;
}

function badText(text: string) {
  return text.includes('\0') ? 'the character NUL (U+0000)' : 'half of a surrogate pair';
}

function badKey(key: string) {
  return key === '__proto__' ? 'named __proto__' : `containing ${badText(key)}`;
}

/** `data` and `items` make `data.items`; a key that is no plain word is quoted: `data["first name"]`. Without a key: the path. */
export function keyPath(path: string, key: string | undefined): string {
  if (key === undefined) return path;
  if (!/^[\w$-]{1,100}$/.test(key)) return `${path}[${JSON.stringify(key.slice(0, KEY_LENGTH_SHOWN_MAX))}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** White space and characters without a glyph: soft hyphens, zero width spaces and joiners, byte order marks. */
const BLANK = /^[\s\u00ad\u200b-\u200d\u2060\ufeff]*$/;

/** Whether a text shows nothing: it is empty, or only of white space and invisible characters. */
export function isBlankText(text: string): boolean {
  return BLANK.test(text);
}

/** At most `lengthMax` characters of a text, without split surrogate pairs; a shortened text ends in `…`. */
export function cut(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1).toWellFormed()}…`;
}

/**
 * The object as the JSON text to store. `name` names it in errors, `path` is the prefix of its members.
 * @throws ServiceError `invalid_request` if it is no object, cannot be stored unchanged (`assertStorable`), or exceeds `bytesMax` bytes.
 */
export function storableObject(name: string, value: unknown, bytesMax: number, path = name): string {
  requireObject(value, name);
  assertStorable({ [path]: value }, ''); // inside an object, as answers contain it: the nesting limit then holds for answers too
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  if (bytes > bytesMax) throw invalid(`${name} would take ${bytes} bytes, at most ${bytesMax} are stored`);
  return text;
}
