import {
  ArrayMaxSize,
  ArrayMinSize,
  IsBoolean,
  IsDefined,
  IsEmail,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsString,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { timesOf } from '@tidings/testing/campaign';
import * as fc from 'fast-check';
import { checkOf } from './quick-checks';
import { shapeOf } from './shape';

class Constrained {
  @IsEmail()
  email!: unknown;

  @Length(2, 4)
  between!: unknown;

  @Length(3)
  atLeastThree!: unknown;

  @MaxLength(3)
  notLong!: unknown;

  @Matches(/^[ab]+$/)
  matched!: unknown;

  @Matches('^[ab]+$', 'i')
  matchedByText!: unknown;

  @IsIn(['a', 1, NaN, null])
  oneOf!: unknown;

  @IsString()
  string!: unknown;

  @IsBoolean()
  flag!: unknown;

  @IsInt()
  int!: unknown;

  @IsNumber()
  number!: unknown;

  @IsNumber({ maxDecimalPlaces: 1, allowNaN: true })
  rounded!: unknown;

  @Min(-1)
  notLow!: unknown;

  @Max(1)
  notHigh!: unknown;

  @IsObject()
  object!: unknown;

  @IsDefined()
  there!: unknown;

  @ArrayMinSize(1)
  some!: unknown;

  @ArrayMaxSize(1)
  few!: unknown;
}

const odd = fc.string({ unit: fc.constantFrom('a', 'Z', '7', '-', '_', '+', '.', '@', 'é', '"', ' '), maxLength: 4 });
const long = fc.constantFrom(...[54, 60, 62, 63, 64, 65].map((length) => 'a'.repeat(length)));
const part = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('a', 'ada', 'Z7', 'b-c') },
  { weight: 1, arbitrary: odd },
  { weight: 1, arbitrary: long },
);
const end = fc.constantFrom('.co', '.com', '.museum', '.c', '.c1', '.42', '.co.', '. co', '');
/** Addresses on both sides of every limit: characters, dots, hyphens, lengths, top-level domains. */
const addresses = fc
  .tuple(part, fc.constantFrom('.', '+', '_', '..'), part, part, end)
  .map(([user, mark, rest, host, top]) => `${user}${mark}${rest}@${host}${top}`);
/** Visible characters of up to three UTF-16 units, and lone surrogates. */
const marks = fc.string({ unit: fc.constantFrom('a', 'b', '\ud83d', '\ude00', '\ud83d\ude00', '\ufe0f', '\ufe0e', '\n'), maxLength: 12 });
const others = fc.oneof(
  fc.constantFrom(undefined, null, true, false, NaN, Infinity, -0, 1, 1.25, 2 ** 53, '', [], ['a'], ['a', 'b'], {}, { length: 1 }),
  fc.double(),
  fc.integer({ min: -3, max: 3 }),
);

describe.each(shapeOf(Constrained).map((field) => [field.name, field.rules[0]!] as const))('the quick check of %s', (_, rule) => {
  it('gives the same result as the constraint itself', () => {
    const check = checkOf(rule);
    fc.assert(
      fc.property(fc.oneof(addresses, marks, others), (value) => {
        expect(check(value, {})).toBe(rule.accepts(value, {}));
      }),
      { numRuns: timesOf({ quick: 1_000, full: 5_000 }) },
    );
  });
});
