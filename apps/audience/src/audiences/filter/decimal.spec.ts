import fc from 'fast-check';
import { expectLinear } from '@tidings/testing/cpu-time';
import { compareDecimals, decimalKey, exactJsonNumber, parseDecimal } from './decimal';

const digits = fc.stringMatching(/^[0-9]{0,25}$/);
const numerals = fc
  .tuple(fc.constantFrom('', '+', '-'), digits, fc.option(digits), fc.option(fc.integer({ min: -30, max: 30 })))
  .map(
    ([sign, whole, fraction, exponent]) =>
      `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`,
  )
  .filter((text) => parseDecimal(text) !== undefined);

/** The number times 10^60, as an integer: more digits than the generator writes after the point. */
function scaled(numeral: string): bigint {
  const [, sign, whole = '', fraction = '', exponent = '0'] = /^([+-]?)(\d*)\.?(\d*)(?:e(.*))?$/.exec(numeral)!;
  const magnitude = BigInt(`${whole}${fraction}`) * 10n ** BigInt(60 - fraction.length + Number(exponent));
  return sign === '-' ? -magnitude : magnitude;
}

describe('a number written as text', () => {
  it.each(['5', '05', '+5', '5.', '5.0', '.5e1', '50E-1', '0.00005e+5'])('is five, spelled %s', (text) => {
    expect(decimalKey(text)).toBe(decimalKey('5'));
  });

  it.each(['', ' ', '5 ', ' 5', '.', '+', '-', 'e5', '5e', '5e1.5', '1_000', '1,000', '0x10', 'NaN', 'Infinity', '--5', '5e1234567', '٥'])(
    'is none, being %j',
    (text) => {
      expect(parseDecimal(text)).toBeUndefined();
    },
  );

  it.each(['0', '-0', '+0.000', '.0', '0e999'])('is zero, spelled %s', (text) => {
    expect(decimalKey(text)).toBe(decimalKey('0'));
  });

  it('distinguishes neighbouring long ids', () => {
    expect(decimalKey('12345678901234567890')).not.toBe(decimalKey('12345678901234567891'));
  });

  it('compares as in exact arithmetic', () => {
    fc.assert(
      fc.property(numerals, numerals, (one, other) => {
        const difference = scaled(one) - scaled(other);
        expect(Math.sign(compareDecimals(parseDecimal(one)!, parseDecimal(other)!))).toBe(difference < 0n ? -1 : difference > 0n ? 1 : 0);
        expect(decimalKey(one) === decimalKey(other)).toBe(difference === 0n);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is parsed in linear time in the worst case', () => {
    const zeros = (size: number): string => '0'.repeat(size);
    expectLinear(50_000, (size) => parseDecimal(`${zeros(size)}x`));
    expectLinear(50_000, (size) => parseDecimal(`1${zeros(size)}1`));
    expectLinear(50_000, (size) => parseDecimal(`.${zeros(size)}1${zeros(size)}`));
  });
});

describe('a number that JSON can carry', () => {
  it('is returned where a double has exactly these digits', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (double) => {
        expect(exactJsonNumber(String(double))).toBe(double === 0 ? 0 : double);
      }),
    );
    expect(exactJsonNumber('05.50')).toBe(5.5);
  });

  it.each(['12345678901234567891', '0.1000000000000000055', '1e400', '1e-400', '9007199254740993'])('is not %s', (text) => {
    expect(exactJsonNumber(text)).toBeUndefined();
  });
});
