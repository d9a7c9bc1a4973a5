import { Transform, Type } from 'class-transformer';
import {
  Allow,
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  Equals,
  IsArray,
  IsBoolean,
  IsDefined,
  IsEmail,
  IsEnum,
  IsIn,
  IsInt,
  IsISO8601,
  IsNotEmpty,
  IsNumber,
  IsObject,
  IsOptional,
  IsPositive,
  IsString,
  IsUrl,
  IsUUID,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  registerDecorator,
  ValidateNested,
  type ValidationOptions,
} from 'class-validator';
import { timesOf } from '@tidings/testing/campaign';
import * as fc from 'fast-check';
import { events, operations } from '../registry';
import { reference, strangeSentences } from './class-validator.fixture';
import { allowedForms, buildOf } from './compiled-class';
import type { Dto } from './operation';
import { type Field, type Rule, shapeOf } from './shape';
import { validate } from './validator';

enum Colour {
  Red = 'red',
  Blue = 'blue',
}

/** A foreign decorator, stricter than the one of class-validator with the same name. */
function ShoutedString(options?: ValidationOptions): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name: 'isString',
      target: target.constructor,
      propertyName: propertyName as string,
      options,
      validator: { validate: (value: unknown) => typeof value === 'string' && value === value.toUpperCase() },
    });
}

class Strings {
  @IsString()
  @Length(2, 5)
  between!: string;

  @IsString()
  @MinLength(1)
  @MaxLength(3)
  short!: string;

  @IsEmail()
  email!: string;

  @IsOptional()
  @IsEmail({ allow_display_name: true })
  named?: string;

  @Matches(/^[a-z]+(\.[a-z]+)*$/)
  dotted!: string;

  @Matches(/a/g)
  global!: string;

  @IsUUID()
  uuid!: string;

  @IsISO8601()
  at!: string;

  @IsUrl()
  url!: string;

  @ShoutedString()
  shouted!: string;
}

class Scalars {
  @IsInt()
  @Min(-2)
  @Max(3)
  int!: number;

  @IsNumber({ maxDecimalPlaces: 2 })
  price!: number;

  @IsNumber()
  @IsPositive()
  positive!: number;

  @IsBoolean()
  flag!: boolean;

  @IsIn([1, 'one', null, false])
  mixed!: unknown;

  @IsEnum(Colour)
  colour!: Colour;

  @Equals('yes')
  yes!: string;

  @IsNotEmpty()
  something!: unknown;

  @IsDefined()
  there!: unknown;

  @IsInt({ message: 'limit is a whole number' })
  limit = 20;

  @Allow()
  anything?: unknown;

  @IsOptional()
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))
  @IsString()
  @MaxLength(2)
  trimmed?: string;
}

class Tree {
  @IsIn(['leaf', 'branch'])
  kind!: string;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(3)
  @ValidateNested({ each: true })
  @Type(() => Tree)
  children?: Tree[];

  @IsOptional()
  @ValidateNested()
  @Type(() => Tree)
  shadow?: Tree | null;
}

class Lists {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(4)
  @IsString({ each: true })
  @MaxLength(3, { each: true })
  tags!: string[];

  @IsString({ each: true })
  oneOrMany!: string | string[];

  @IsOptional()
  @ArrayUnique()
  @IsInt({ each: true })
  unique?: number[];

  @IsDefined()
  @ValidateNested({ each: true })
  @Type(() => Tree)
  either!: Tree | Tree[];

  @IsDefined()
  @ValidateNested()
  @Type(() => Tree)
  exactlyOne!: Tree;

  @IsObject()
  free!: Record<string, unknown>;

  @IsOptional()
  @IsObject({ each: true })
  @ValidateNested({ each: true })
  @Type(() => Nothing)
  nothings?: Nothing[];
}

class Nothing {}

class Ancestor {
  @IsString()
  @MaxLength(10)
  id!: string;

  @IsOptional()
  @IsInt()
  version?: number;
}

class Heir extends Ancestor {
  @MaxLength(3)
  override id!: string;

  @IsBoolean()
  own!: boolean;
}

const registered = new Set<Dto>([
  ...operations.flatMap(({ request, response }) => [request as Dto, response as Dto]),
  ...events.map(({ payload }) => payload),
]);
const adversarial: Dto[] = [Strings, Scalars, Tree, Lists, Heir, Nothing];

/** The value as parsed from JSON. */
function copy<Json>(value: Json): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

/** The one rule beyond class-validator's: arrays occur exactly where they are declared. */
function hasDeclaredForms(dto: Dto, instance: object): boolean {
  return shapeOf(dto).every((field) => {
    const value = (instance as Record<string, unknown>)[field.name];
    if (!field.nested || value === undefined || value === null) return true;
    const { one, many } = allowedForms(field);
    const elements: unknown[] = Array.isArray(value) ? value : [value];
    return (
      (Array.isArray(value) ? many : one) &&
      elements.every((element) => !Array.isArray(element) && hasDeclaredForms(field.nested!, element as object))
    );
  });
}

const text = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.string({
    unit: fc.constantFrom('a', 'b', '.', '-', '_', '+', '@', 'com', '1', ' ', '\ud83d\ude00', '\ufe0f', '\ud83d', '\n'),
    maxLength: 12,
  }),
);
const email = fc.oneof(
  fc.emailAddress(),
  fc.constantFrom('ada@example.com', 'a.b+c@sub.example.org', `${'a'.repeat(65)}@example.com`, `a@${'b'.repeat(64)}.com`),
);
const leaf = fc.oneof(text, email, fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.constantFrom('', '5', 'null', 1e20, -0));
/** Without the key `constructor`: class-transformer itself fails on it in free objects. */
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'name', 'kind', 'first name', 'then'), tie('value'), { maxKeys: 3 }),
  ),
})).value;

function valid(dto: Dto, depth: number): fc.Arbitrary<Record<string, unknown>> {
  const fields = shapeOf(dto);
  const declared = Object.fromEntries(fields.map((field) => [field.name, validField(field, depth)]));
  const required = fields.filter(({ optional }) => !optional).map(({ name }) => name);
  const extra = fc.dictionary(fc.constantFrom('unknown', 'constructor', 'toString', '$where'), json, { maxKeys: 2 });
  return fc.tuple(fc.record(declared, { requiredKeys: required }), extra, fc.boolean()).map(([object, more, poisoned]) => {
    const all: Record<string, unknown> = { ...more, ...object };
    return poisoned ? (JSON.parse(`{"__proto__":{"polluted":true},${JSON.stringify(all).slice(1)}`.replace(',}', '}')) as typeof all) : all;
  });
}

function validField({ nested, rules, optional, designType, ...field }: Field, depth: number): fc.Arbitrary<unknown> {
  if (nested) {
    if (depth === 0) return optional ? fc.constantFrom(null, undefined) : fc.constant({ kind: 'leaf' });
    const { one, many } = allowedForms({ nested, rules, optional, designType, ...field });
    const element = valid(nested, depth - 1);
    const several = fc.array(element, { maxLength: 3 });
    return one && many ? fc.oneof(element, several) : many ? several : element;
  }
  const elements = rules.filter(({ each }) => each);
  const array = designType === Array || rules.some(({ name }) => name.startsWith('array'));
  return array ? fc.array(validValue(elements), { maxLength: 4 }) : validValue(rules);
}

function validValue(rules: readonly Rule[]): fc.Arbitrary<unknown> {
  const of = (name: string): readonly unknown[] | undefined => rules.find((rule) => rule.name === name)?.parameters;
  const number = (name: string): number | undefined => of(name)?.[0] as number | undefined;
  if (of('isIn')) return fc.constantFrom(...(of('isIn')![0] as unknown[]));
  if (of('isEnum')) return fc.constantFrom(...(of('isEnum')![1] as unknown[]));
  if (of('equals')) return fc.constant(of('equals')![0]);
  if (of('isEmail')) return email;
  if (of('isUuid')) return fc.uuid();
  if (of('isUrl') || of('isHttpUrl')) return fc.webUrl();
  if (of('isIso8601') || of('isInstant')) return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (of('matches')) return fc.stringMatching(of('matches')![0] as RegExp);
  if (of('isInt')) return fc.integer({ min: number('min') ?? -10, max: number('max') ?? 1_000 });
  if (of('isNumber')) return fc.integer({ min: 1, max: 10_000 }).map((cents) => cents / 100);
  if (of('isBoolean')) return fc.boolean();
  if (of('isObject')) return fc.dictionary(fc.constantFrom('a', 'b', 'first name'), json);
  if (of('isString') || of('maxLength')) {
    const [min, max] = (of('isLength') ?? [number('minLength') ?? 0, number('maxLength') ?? 8]) as [number, number];
    return fc.string({ minLength: min, maxLength: Math.min(max, min + 40) });
  }
  return json;
}

/** One change at a path in a value: replacement, removal, wrapping in an array, or spreading. */
type Mutation = readonly [steps: number[], kind: 'replace' | 'remove' | 'wrap' | 'spread', value: unknown];
const mutation: fc.Arbitrary<Mutation> = fc.tuple(
  fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 4 }),
  fc.constantFrom('replace', 'remove', 'wrap', 'spread'),
  json,
);

function mutate(root: Record<string, unknown>, [steps, kind, value]: Mutation): void {
  let parent: Record<string, unknown> = root;
  for (let index = 0; ; index += 1) {
    const keys = Object.keys(parent).filter((key) => key !== '__proto__');
    if (keys.length === 0) return;
    const key = keys[steps[index]! % keys.length]!;
    const child = parent[key];
    if (index < steps.length - 1 && typeof child === 'object' && child !== null) parent = child as Record<string, unknown>;
    else {
      if (kind === 'replace') parent[key] = value;
      else if (kind === 'wrap') parent[key] = [child];
      else if (kind === 'spread') parent[key] = Array.isArray(child) ? (child as unknown[])[0] : [child, child, value];
      else if (Array.isArray(parent)) parent.splice(Number(key), 1);
      else delete parent[key];
      return;
    }
  }
}

const RUNS = timesOf({ quick: 10, full: 120 });
/** Enough for a class with one valid input among many hundreds. */
const ROUNDS_MAX = 30_000 / RUNS;

describe.each([...registered, ...adversarial].map((dto) => [dto.name, dto] as const))('%s', (_, dto) => {
  it('gets the same verdict from the compiled check and class-validator', () => {
    const build = buildOf(dto);
    let accepted = 0;
    let refused = 0;
    const inputs = fc.tuple(valid(dto, 3), fc.array(mutation, { maxLength: 2 })).map(([plain, mutations]) => {
      const input = copy(plain);
      for (const change of mutations) mutate(input, copy(change));
      return copy(input); // a mutation may have inserted one object twice
    });
    const sameVerdict = fc.property(inputs, (plain) => {
      const before = JSON.stringify(plain);
      const { instance, errors } = reference(dto, plain);
      const expected = instance && hasDeclaredForms(dto, instance) ? instance : undefined;

      expect(build(plain, 0)).toStrictEqual(expected);
      if (expected) expect(validate(dto, plain)).toStrictEqual(expected);
      else expect(() => validate(dto, plain)).toThrow(expect.objectContaining({ code: 'invalid_request' }) as Error);
      if (errors) expect(strangeSentences(dto, plain, errors)).toEqual([]);
      expect(JSON.stringify(plain)).toBe(before);
      if (expected) accepted += 1;
      else refused += 1;
    });
    // A round may generate no valid input of a class with many nested rules, and no invalid input of a class with few rules.
    const mayBeRefused = shapeOf(dto).some(({ rules }) => rules.length > 0);
    const sawBoth = (): boolean => accepted > 0 && (refused > 0 || !mayBeRefused);
    for (let round = 0; round < ROUNDS_MAX && !sawBoth(); round += 1) fc.assert(sameVerdict, { numRuns: RUNS });
    expect({ accepted, refused, sawBoth: sawBoth() }).toMatchObject({ sawBoth: true });
  });
});
