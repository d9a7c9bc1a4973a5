import { isGiven } from '@tidings/contracts/core/refusals';
import { type Frame, resolveOutward } from './frame';
import type { Helpers } from './helper';
import { ownValue, parsePath } from './paths';
import { isFilled, toText } from './value-text';

type Comparison = (left: unknown, right: unknown) => boolean;

/** Scalars are equal when their texts are (`true` and `"true"`), missing values only to each other, objects only by identity. */
const equal: Comparison = (left, right) => {
  if (!isGiven(left) || !isGiven(right)) return (left ?? null) === (right ?? null);
  return left === right || (typeof left !== 'object' && typeof right !== 'object' && toText(left) === toText(right));
};

/** Compares as numbers when both are numeric, else as texts. */
function compare(left: unknown, right: unknown) {
  if (!isGiven(left) || !isGiven(right) || typeof left === 'object' || typeof right === 'object') return NaN;
  const [a, b] = [Number(left), Number(right)];
  if (left !== '' && right !== '' && !Number.isNaN(a) && !Number.isNaN(b)) return a - b;
  const [x, y] = [toText(left) ?? '', toText(right) ?? ''];
  return x < y ? -1 : Number(x > y);
}

const not =
  (comparison: Comparison): Comparison =>
  (left, right) =>
    !comparison(left, right);
const ordered =
  (fits: (order: number) => boolean): Comparison =>
  (left, right) =>
    fits(compare(left, right));
const greater = ordered((order) => order > 0);
const less = ordered((order) => order < 0);
const greaterOrEqual = ordered((order) => order >= 0);
const lessOrEqual = ordered((order) => order <= 0);

type Operators = Readonly<Record<string, Comparison>>;

const CONDITIONS: Operators = {
  '==': equal,
  '===': equal,
  '!=': not(equal),
  '!==': not(equal),
  '>': greater,
  '<': less,
  '>=': greaterOrEqual,
  '<=': lessOrEqual,
};

function isEmpty(value: unknown) {
  if (typeof value !== 'object' || value === null) return !isGiven(value) || value === '';
  return Object.keys(value).length === 0;
}

const contains: Comparison = (left, right) =>
  Array.isArray(left)
    ? left.some((element) => equal(element, right))
    : typeof left !== 'object' && (toText(left) ?? '').includes(toText(right) ?? '');

const FILTERS: Operators = {
  EQUALS: equal,
  NOT_EQUALS: not(equal),
  CONTAINS: contains,
  NOT_CONTAINS: not(contains),
  IS_EMPTY: isEmpty,
  NOT_EMPTY: not(isEmpty),
  IS_NOT_EMPTY: not(isEmpty),
  GREATER_THAN: greater,
  GREATER_THAN_EQUALS: greaterOrEqual,
  LESS_THAN: less,
  LESS_THAN_EQUALS: lessOrEqual,
};

function operator(operators: Operators, name: unknown) {
  const found = typeof name === 'string' ? ownValue(operators, name) : undefined;
  if (!found) throw new Error(`accepts the operators ${Object.keys(operators).join(' ')} (got ${JSON.stringify(name)})`);
  return found as Comparison;
}

/** `filter "profile" "address.city" "EQUALS" "Bonn"`: source, path in it, operator, value. */
function filter([source, property, name, value]: readonly unknown[], frame: Frame) {
  const path = parsePath([source, property].filter((part) => typeof part === 'string' && part !== '').join('.'));
  if (!path) throw new Error(`needs a source such as "data" and a path in it (got ${JSON.stringify([source, property])})`);
  const found = resolveOutward(path, frame);
  if (Array.isArray(found)) frame.run.budget.spend(found.length);
  else if (typeof found === 'string') frame.run.budget.spendChars(found.length);
  return operator(FILTERS, name)(found, value);
}

/** All of the conditions, or one of them where the last argument is `"or"`. */
function conditional(args: readonly unknown[]) {
  const last = args.at(-1);
  const word = typeof last === 'string' ? last.toLowerCase() : '';
  const conditions = word === 'and' || word === 'or' ? args.slice(0, -1) : args;
  return word === 'or' ? conditions.some(isFilled) : conditions.every(isFilled);
}

export const logicHelpers: Helpers = {
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
