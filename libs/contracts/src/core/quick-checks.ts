import { isJsonObject } from './deep-merge';
import { isGiven } from './refusals';
import type { Rule } from './shape';

type Check = (value: unknown) => boolean;

/** validator.js counts visible characters: one may take up to three UTF-16 units, and a non-empty text counts at least one. */
const UNITS_PER_CHARACTER_MAX = 3;

const lengthWithin =
  (min = 0, max = Infinity): Check =>
  (value) =>
    typeof value === 'string' && value.length <= max && value.length >= (min > 1 ? min * UNITS_PER_CHARACTER_MAX : min);

/**
 * Per constraint, by its parameters, whose types the decorators declare: a cheap test that is true only if the constraint holds. If it
 * is false, the constraint itself decides.
 */
const QUICK: Readonly<Record<string, (...parameters: never[]) => Check | undefined>> = {
  isString: () => (value) => typeof value === 'string',
  isBoolean: () => (value) => typeof value === 'boolean',
  isInt: () => Number.isInteger,
  isObject: () => isJsonObject,
  isArray: () => Array.isArray,
  isDefined: () => isGiven,
  isIn: (allowed: readonly unknown[]) => (value) => allowed.includes(value) && !Number.isNaN(value),
  matches: (pattern: RegExp | string) =>
    pattern instanceof RegExp && !pattern.global && !pattern.sticky
      ? (value) => typeof value === 'string' && pattern.test(value)
      : undefined,
  isLength: lengthWithin,
  maxLength: (max: number) => lengthWithin(0, max),
  min: (least: number) => (value) => typeof value === 'number' && value >= least,
  max: (most: number) => (value) => typeof value === 'number' && value <= most,
  arrayMaxSize: (most: number) => (value) => Array.isArray(value) && value.length <= most,
  arrayMinSize: (least: number) => (value) => Array.isArray(value) && value.length >= least,
};

/** Values that a quick check must not accept if its constraint refuses them. */
const PROBES: readonly unknown[] = [undefined, null, '', 'a', 'ab.c', 'a@b.co', 0, -1, 1.5, 1e20, true, false, [], ['a'], {}, { a: 1 }];

/**
 * The check of a rule on one value, quick where possible. A foreign constraint with the name of one of class-validator's differs
 * on the probes, and is then used without the quick check.
 */
export function checkOf(rule: Rule): (value: unknown, object: object) => boolean {
  const quick = Object.hasOwn(QUICK, rule.name) ? QUICK[rule.name]!(...(rule.parameters as never[])) : undefined;
  if (!quick || PROBES.some((probe) => quick(probe) && !rule.accepts(probe, {}))) return (value, object) => rule.accepts(value, object);
  return (value, object) => quick(value) || rule.accepts(value, object);
}
