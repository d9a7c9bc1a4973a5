/// <reference lib="es2024.string" />
import { ServiceError } from './errors';

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
  if (isStorable(value, 0)) return;
  const problem = findProblem(value, path, 0);
  if (problem) throw new ServiceError('invalid_request', problem);
}

/** The fast pass: builds no paths. The depth limit bounds the recursion. */
function isStorable(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
      return isStorableText(value);
    case 'number':
      return isStorableNumber(value);
    case 'boolean':
    case 'undefined':
      return true;
    case 'object':
      break;
    default:
      return false;
  }
  if (value === null) return true;
  if (depth >= NESTING_DEPTH_MAX) return false;
  if (Array.isArray(value)) {
    for (const element of value) if (!isStorable(element, depth + 1)) return false;
    return true;
  }
  for (const key in value) {
    if (!isStorableKey(key) || !isStorable((value as Record<string, unknown>)[key], depth + 1)) return false;
  }
  return true;
}

/** Whether PostgreSQL can store the text: no NUL, no lone surrogate. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function isStorableNumber(number: number): boolean {
  return Number.isSafeInteger(number) || (Number.isFinite(number) && !Number.isInteger(number));
}

function isStorableKey(key: string): boolean {
  return key !== '__proto__' && isStorableText(key);
}

/** The second pass, after the fast pass failed: the sentence about the first invalid value. */
function findProblem(value: unknown, path: string, depth: number): string | undefined {
  const name = path === '' ? 'The request' : path;
  if (typeof value === 'string') return isStorableText(value) ? undefined : `${name} must not contain ${badText(value)}`;
  if (typeof value === 'number')
    return isStorableNumber(value) ? undefined : `${name} must be a number between ±(2^53 − 1)${numberSeen(value)}`;
  if (value === null || typeof value !== 'object') return isStorable(value, depth) ? undefined : `${name} must be a JSON value`;
  if (depth >= NESTING_DEPTH_MAX) return `${name} is nested deeper than ${NESTING_DEPTH_MAX} levels`;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const problem = findProblem(value[index], `${path}[${index}]`, depth + 1);
      if (problem) return problem;
    }
    return undefined;
  }
  for (const key in value) {
    if (!isStorableKey(key)) return `${name} must not have a key ${badKey(key)}`;
    const problem = findProblem((value as Record<string, unknown>)[key], keyPath(path, key), depth + 1);
    if (problem) return problem;
  }
  return undefined;
}

/** Shows the number approximately: JSON parsing has rounded an integer beyond the bounds. */
function numberSeen(value: number): string {
  return Number.isFinite(value) ? ` (got about ${value.toPrecision(4)})` : ' (got one that is larger than any double)';
}

function badText(text: string): string {
  return text.includes('\0') ? 'the character NUL (U+0000)' : 'half of a surrogate pair';
}

function badKey(key: string): string {
  return key === '__proto__' ? 'named __proto__' : `containing ${badText(key)}`;
}

/** `data` and `items` make `data.items`; a key that is no plain word is quoted: `data["first name"]`. */
export function keyPath(path: string, key: string): string {
  if (!/^[\w$-]{1,100}$/.test(key)) return `${path}[${JSON.stringify(key.slice(0, KEY_LENGTH_SHOWN_MAX))}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** At most `lengthMax` characters of a text, without split surrogate pairs; a shortened text ends in `…`. */
export function cut(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1).toWellFormed()}…`;
}
