/**
 * An exact decimal number: `0.digits × 10^exponent`. Ids of twenty digits are numbers too; as doubles, neighbouring ones would
 * be equal.
 */
export interface Decimal {
  readonly negative: boolean;
  /** Without zeros at either end; empty for zero. */
  readonly digits: string;
  /** Zero for zero. */
  readonly exponent: number;
  /** The same for all spellings of the number, and for no other number. */
  readonly key: string;
}

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,6}))?$/i;

/** The number that `text` is: digits with an optional sign, point and exponent of at most six digits. Undefined for anything else. */
export function parseDecimal(text: string): Decimal | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? [];
  const all = whole + fraction;
  if (all === '') return undefined;
  const first = all.search(/[1-9]/);
  if (first === -1) return ZERO;
  const negative = sign === '-';
  const digits = withoutZerosAtEnd(all.slice(first));
  const power = Number(exponent) + whole.length - first;
  return { negative, digits, exponent: power, key: `${negative ? '-' : ''}${digits}e${power}` };
}

const ZERO: Decimal = { negative: false, digits: '', exponent: 0, key: 'e0' };

/** No regular expression: `0+$` takes quadratic time on a long text of zeros with a digit at its end. */
function withoutZerosAtEnd(digits: string) {
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 48) end -= 1;
  return digits.slice(0, end);
}

/** Negative where `one` is smaller, positive where it is larger, zero where they are equal. */
export function compareDecimals(one: Decimal, other: Decimal) {
  const sign = signOf(one);
  if (sign !== signOf(other)) return sign - signOf(other);
  if (one.exponent !== other.exponent) return sign * (one.exponent - other.exponent);
  return one.digits === other.digits ? 0 : one.digits < other.digits ? -sign : sign;
}

const signOf = ({ negative, digits }: Decimal) => (digits === '' ? 0 : negative ? -1 : 1);

/** One key for all spellings of a number; undefined where the text is no number. */
export function decimalKey(text: string): string | undefined {
  return parseDecimal(text)?.key;
}

/** The number as a JSON number of a profile; undefined where no double has this exact value. */
export function exactJsonNumber(text: string): number | undefined {
  const number = Number(text);
  return Number.isFinite(number) && decimalKey(String(number)) === decimalKey(text) ? number : undefined;
}
