import type { AudienceOperator } from '@tidings/contracts/audience/audiences';
import type { Attribute } from './attribute';
import { compareDecimals, decimalKey, exactJsonNumber, parseDecimal } from './decimal';
import type { Rule } from './filter';
import { parseInstant } from './iso-instant';
import { LINEAR_SEARCH_LENGTH_MAX, type EvaluationBudget } from './evaluation-budget';

/** Whether an attribute satisfies a condition. Its result is meaningless once the budget is exhausted. */
type Condition = (attribute: Attribute, budget: EvaluationBudget) => boolean;

/**
 * What each operator means, by its value (several for `INCLUDES` and `OMIT`).
 *
 * - Texts that are numbers compare as numbers (`"05"` equals `5`), exactly; others byte for byte. A number has no order
 *   among texts: `GT` and its kin are false between the two.
 * - Numbers and booleans of a profile count as their text.
 * - Objects and, but for `INCLUDES` and `OMIT`, arrays equal nothing and have no order, beginning, end or date.
 * - An absent value satisfies `NEQ`, `OMIT` and `EXISTS "false"` alone, the opposites of `EQ`, `INCLUDES` and
 *   `EXISTS "true"`.
 */
export const CONDITIONS: Readonly<Record<Exclude<AudienceOperator, 'MEMBER_OF'>, (values: Rule['values']) => Condition>> = {
  EQ: ([value]) => equals(value),
  NEQ: ([value]) => not(equals(value)),
  GT: ordered((order) => order > 0),
  GTE: ordered((order) => order >= 0),
  LT: ordered((order) => order < 0),
  LTE: ordered((order) => order <= 0),
  INCLUDES: includes,
  OMIT: (values) => not(includes(values)),
  EXISTS: ([value]) => (value === 'true' ? exists : not(exists)),
  STARTS_WITH:
    ([value]) =>
    ({ text }) =>
      text?.startsWith(value) ?? false,
  ENDS_WITH:
    ([value]) =>
    ({ text }) =>
      text?.endsWith(value) ?? false,
  IS_BEFORE: dated((order) => order < 0),
  IS_AFTER: dated((order) => order > 0),
};

const exists: Condition = ({ value }) => value !== undefined;

const not =
  (condition: Condition): Condition =>
  (attribute, budget) =>
    !condition(attribute, budget);

function equals(expected: string): Condition {
  const numbers = numbersOf([expected]);
  if (numbers.keys.size === 0) return ({ text }) => text === expected;
  return (attribute) => attribute.value === expected || isOneOf(attribute, numbers);
}

/** The values of a condition that are numbers. */
interface Numbers {
  /** All of them, by one key for each number. */
  readonly keys: ReadonlySet<string>;
  /** Those that JSON can carry: most numbers compare without parsing. */
  readonly doubles: ReadonlySet<number>;
}

function numbersOf(values: readonly string[]): Numbers {
  return {
    keys: new Set(values.flatMap((value) => decimalKey(value) ?? [])),
    doubles: new Set(values.flatMap((value) => exactJsonNumber(value) ?? [])),
  };
}

/** Whether the attribute is one of the numbers, in any spelling. */
function isOneOf({ value, decimal }: Attribute, { keys, doubles }: Numbers) {
  if (typeof value === 'number') return doubles.has(value);
  return typeof value === 'string' && decimal !== undefined && keys.has(decimal.key);
}

function ordered(accepts: (order: number) => boolean) {
  return ([value]: Rule['values']): Condition => {
    const number = parseDecimal(value);
    return ({ text, decimal }) => {
      if (text === undefined) return false;
      if (number && decimal) return accepts(compareDecimals(decimal, number));
      if (number || decimal) return false;
      return accepts(text < value ? -1 : text > value ? 1 : 0);
    };
  };
}

/** A text contains any of the values; an array has an element that equals one; a number or boolean equals one. */
function includes(values: readonly string[]): Condition {
  const texts = new Set(values);
  const numbers = numbersOf(values);
  return (attribute, budget) => {
    const { value, text } = attribute;
    if (typeof value === 'string') return values.some((part) => budget.spend(searchSteps(value, part)) && value.includes(part));
    if (Array.isArray(value)) return budget.spend(values.length) && hasElement(attribute, values, numbers);
    return (typeof value === 'boolean' && texts.has(text!)) || isOneOf(attribute, numbers);
  };
}

function hasElement({ elements }: Attribute, values: readonly string[], numbers: Numbers) {
  if (values.some((value) => elements.texts.has(value))) return true;
  return [...numbers.doubles].some((double) => elements.numbers.has(double)) || [...numbers.keys].some((key) => elements.keys.has(key));
}

/** Steps of a search in the worst case. */
function searchSteps(text: string, part: string) {
  if (part.length > text.length) return 1;
  return 1 + text.length * (part.length > LINEAR_SEARCH_LENGTH_MAX ? part.length : 1);
}

function dated(accepts: (order: number) => boolean) {
  return ([value]: Rule['values']): Condition => {
    const limit = parseInstant(value);
    return ({ instant }) => instant !== undefined && limit !== undefined && accepts(instant - limit);
  };
}
