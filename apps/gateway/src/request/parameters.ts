import { invalid } from '@tidings/contracts/core/refusals';
import { assertStorable } from '@tidings/contracts/core/text';
import type { Field } from '@tidings/contracts/core/shape';

/** Converts the text of a parameter; `name` is for the error message. */
type Read = (text: string, name: string) => unknown;

/** Reads the texts of one parameter; `undefined` without a text. */
export type ReadParameter = (texts: readonly string[]) => unknown;

/**
 * The reader of a path or query parameter, by its declaration in the request class: texts, whole numbers capped at their `@Max` (a
 * larger page limit returns a full page), numbers, booleans, and arrays of these. The values are validated later with the rest of
 * the request; this reader only refuses values of another type and text that cannot be stored.
 */
export function parameterReader(field: Field): ReadParameter {
  const { name } = field;
  const read = elementReader(field);
  if (isArray(field)) {
    return (texts) => {
      const elements = texts.flatMap(splitElements);
      return elements.length === 0 ? undefined : elements.map((text) => read(storable(text, name), name));
    };
  }
  return (texts) => {
    if (texts.length === 0) return undefined;
    if (texts.length > 1) throw invalid(`${name} is given ${texts.length} times, once is enough`);
    return read(storable(texts[0]!, name), name);
  };
}

/** Splits a value at commas. A still encoded comma was encoded twice, as an old SDK does with every value. */
function splitElements(text: string): string[] {
  const decoded = /%2c/i.test(text) ? decodedOnceMore(text) : text;
  return decoded
    .split(',')
    .map((element) => element.trim())
    .filter((element) => element !== '');
}

function decodedOnceMore(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replaceAll(/%2c/gi, ',');
  }
}

function elementReader(field: Field): Read {
  const { designType, rules } = field;
  const has = (...names: string[]): boolean => rules.some((rule) => names.includes(rule.name));
  if (has('isInt')) return integerReader(mostOf(field));
  if (designType === Number || has('isNumber')) return readNumber;
  if (designType === Boolean || has('isBoolean')) return readBoolean;
  return (text) => text;
}

function isArray({ designType, rules }: Field): boolean {
  return designType === Array || rules.some(({ name, each }) => name === 'isArray' && !each);
}

function mostOf({ rules }: Field): number | undefined {
  const parameter = rules.find((rule) => rule.name === 'max')?.parameters[0];
  return typeof parameter === 'number' ? parameter : undefined;
}

function integerReader(max = Number.MAX_SAFE_INTEGER): Read {
  return (text, name) => {
    if (!/^[+-]?\d+$/.test(text)) throw invalid(`${name} must be a whole number (got ${quoted(text)})`);
    return Math.min(max, Number(text));
  };
}

const readNumber: Read = (text, name) => {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) throw invalid(`${name} must be a number (got ${quoted(text)})`);
  return number;
};

const BOOLEANS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

const readBoolean: Read = (text, name) => {
  const value = BOOLEANS.get(text.toLowerCase());
  if (value === undefined) throw invalid(`${name} must be true or false (got ${quoted(text)})`);
  return value;
};

/** The text, if it can be stored. */
export function storable(text: string, name: string): string {
  assertStorable(text, name);
  return text;
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}
