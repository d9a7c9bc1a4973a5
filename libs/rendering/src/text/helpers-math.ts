import { type Helper, type Helpers, shown } from './helper';
import { numberOf } from './value-text';

/** Numbers, also written as text. */
function number(value: unknown) {
  const parsed = numberOf(value);
  if (parsed === undefined) throw new Error(`needs numbers (got ${shown(value)})`);
  return parsed;
}

const one =
  (operation: (a: number) => number): Helper =>
  ([a]) =>
    operation(number(a));

const two =
  (operation: (a: number, b: number) => number): Helper =>
  ([a, b]) =>
    operation(number(a), number(b));

/** Left to right over two or more. */
const many =
  (operation: (a: number, b: number) => number): Helper =>
  (args) => {
    if (args.length < 2) throw new Error(`needs at least two numbers (got ${args.length})`);
    return args.map(number).reduce(operation);
  };

const notZero = (operation: (a: number, b: number) => number) => (a: number, b: number) => {
  if (b === 0) throw new Error('cannot divide by 0');
  return operation(a, b);
};

const DIGITS_MAX = 15;

/** `round 2.345 2`: to so many digits behind the point, 0 by default. */
const round: Helper = ([value, digits = 0]) => {
  const decimals = number(digits);
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > DIGITS_MAX)
    throw new Error(`rounds to 0…${DIGITS_MAX} digits (got ${shown(digits)})`);
  return Number(`${Math.round(Number(`${number(value)}e${decimals}`))}e-${decimals}`);
};

const subtract = two((a, b) => a - b);

export const mathHelpers: Helpers = {
  abs: one(Math.abs),
  ceil: one(Math.ceil),
  floor: one(Math.floor),
  round,
  inc: ([value, by = 1]) => number(value) + number(by),
  add: many((a, b) => a + b),
  multiply: many((a, b) => a * b),
  subtract,
  sub: subtract,
  divide: two(notZero((a, b) => a / b)),
  mod: two(notZero((a, b) => a % b)),
};
