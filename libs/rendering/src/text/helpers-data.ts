import { CHARS_PER_STEP } from '../render-budget';
import { type Frame, resolveOutward } from './frame';
import { type Helper, type Helpers, shown } from './helper';
import { ownValue, parsePath } from './paths';

/** Top names that `set` may not hide. */
const RESERVED = new Set(['brand', 'data', 'event', 'profile', 'recipient', 'urls']);
const NAMES_SET_MAX = 1_000;
const JSON_CHARS_MAX = 256_000;

/** The value at a path given as text, resolved from the current block outwards. */
const valueAt: Helper = ([path], frame) => {
  const steps = typeof path === 'string' ? parsePath(path) : undefined;
  if (!steps) throw new Error(`needs a path such as "order.items[0]" (got ${shown(path)})`);
  return resolveOutward(steps, frame);
};

function set([name, value]: readonly unknown[], { run }: Frame) {
  if (typeof name !== 'string' || !/^[\p{L}\p{N}_$-]{1,100}$/u.test(name))
    throw new Error(`needs a name without dots (got ${shown(name)})`);
  if (RESERVED.has(name)) throw new Error(`may not change ${name}`);
  if (run.locals.size >= NAMES_SET_MAX) throw new Error(`stores at most ${NAMES_SET_MAX} names`);
  if (value === undefined) run.locals.delete(name);
  else run.locals.set(name, value);
}

function parseJson([text]: readonly unknown[], { run }: Frame) {
  if (typeof text !== 'string') throw new Error(`needs a text that holds JSON (got ${shown(text)})`);
  if (text.length > JSON_CHARS_MAX) throw new Error(`accepts at most ${JSON_CHARS_MAX} characters (got ${text.length})`);
  run.budget.spend((4 * text.length) / CHARS_PER_STEP);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error(`needs a text that holds JSON (got ${shown(text)})`);
  }
}

export const dataHelpers: Helpers = {
  default: ([value, fallback]) => value ?? fallback,
  // The caller decides what `var` prints for a missing value.
  var: valueAt,
  path: valueAt,
  set,
  'json-parse': parseJson,
  params: (_args, _frame, hash) => ({ ...hash }),
  lookup: ([object, key]) => (typeof key === 'string' || typeof key === 'number' ? ownValue(object, String(key)) : undefined),
  // Part of Handlebars; authors have no console.
  log: () => undefined,
};
