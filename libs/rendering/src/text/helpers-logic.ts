import type { Helper, HelperCall } from './helper';
import { resolveOutward } from './frame';
import { parsePath } from './paths';
import { isFilled } from './truth';
import { toText } from './value-text';

type Comparison = (left: unknown, right: unknown) => boolean;

/** Scalars are equal when their texts are (`true` and `"true"`), missing values only to each other, objects only by identity. */
const equal: Comparison = (left, right) => {
  if (left === undefined || left === null || right === undefined || right === null) return (left ?? null) === (right ?? null);
  return left === right || (typeof left !== 'object' && typeof right !== 'object' && toText(left) === toText(right));
};

/** Compares as numbers when both are numeric, else as texts. */
function compare(left: unknown, right: unknown): number {
  if (left === undefined || left === null || right === undefined || right === null) return NaN;
  if (typeof left === 'object' || typeof right === 'object') return NaN;
  const [a, b] = [Number(left), Number(right)];
  if (left !== '' && right !== '' && !Number.isNaN(a) && !Number.isNaN(b)) return a - b;
  const [x, y] = [toText(left) ?? '', toText(right) ?? ''];
  return x < y ? -1 : Number(x > y);
}

const CONDITIONS: ReadonlyMap<unknown, Comparison> = new Map<unknown, Comparison>([
  ['==', equal],
  ['===', equal],
  ['!=', (left, right) => !equal(left, right)],
  ['!==', (left, right) => !equal(left, right)],
  ['>', (left, right) => compare(left, right) > 0],
  ['<', (left, right) => compare(left, right) < 0],
  ['>=', (left, right) => compare(left, right) >= 0],
  ['<=', (left, right) => compare(left, right) <= 0],
]);

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === undefined || value === null || value === '';
  for (const name in value) if (Object.hasOwn(value, name)) return false;
  return true;
}

const contains: Comparison = (left, right) =>
  Array.isArray(left)
    ? left.some((element) => equal(element, right))
    : typeof left !== 'object' && (toText(left) ?? '').includes(toText(right) ?? '');

const FILTERS: ReadonlyMap<unknown, Comparison> = new Map<unknown, Comparison>([
  ['EQUALS', equal],
  ['NOT_EQUALS', (left, right) => !equal(left, right)],
  ['CONTAINS', contains],
  ['NOT_CONTAINS', (left, right) => !contains(left, right)],
  ['IS_EMPTY', isEmpty],
  ['NOT_EMPTY', (left) => !isEmpty(left)],
  ['IS_NOT_EMPTY', (left) => !isEmpty(left)],
  ['GREATER_THAN', (left, right) => compare(left, right) > 0],
  ['GREATER_THAN_EQUALS', (left, right) => compare(left, right) >= 0],
  ['LESS_THAN', (left, right) => compare(left, right) < 0],
  ['LESS_THAN_EQUALS', (left, right) => compare(left, right) <= 0],
]);

function operator(table: ReadonlyMap<unknown, Comparison>, name: unknown): Comparison {
  const found = table.get(name);
  if (!found) throw new Error(`accepts the operators ${[...table.keys()].join(' ')} (got ${JSON.stringify(name)})`);
  return found;
}

/** `filter "profile" "address.city" "EQUALS" "Bonn"`: source, path in it, operator, value. */
function filter([source, property, name, value]: readonly unknown[], { run, frame }: HelperCall): boolean {
  const path = parsePath([source, property].filter((part) => typeof part === 'string' && part !== '').join('.'));
  if (!path) throw new Error(`needs a source such as "data" and a path in it (got ${JSON.stringify([source, property])})`);
  const found = resolveOutward(path, run, frame);
  if (Array.isArray(found)) run.budget.spend(found.length);
  else if (typeof found === 'string') run.budget.spendChars(found.length);
  return operator(FILTERS, name)(found, value);
}

/** All of the conditions, or one of them where the last argument is `"or"`. */
function conditional(args: readonly unknown[]): boolean {
  const last = args.at(-1);
  const word = typeof last === 'string' ? last.toLowerCase() : '';
  const conditions = word === 'and' || word === 'or' ? args.slice(0, -1) : args;
  return word === 'or' ? conditions.some(isFilled) : conditions.every(isFilled);
}

export const logicHelpers: Readonly<Record<string, Helper>> = {
  and: (args) => args.every(isFilled),
  or: (args) => args.some(isFilled),
  not: ([value]) => !isFilled(value),
  condition: (args) => {
    if (args.length !== 3) throw new Error(`needs two values with an operator between them (got ${args.length} arguments)`);
    return operator(CONDITIONS, args[1])(args[0], args[2]);
  },
  conditional,
  filter,
};
