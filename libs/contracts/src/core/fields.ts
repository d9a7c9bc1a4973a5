import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsDefined,
  IsIn,
  IsInt,
  IsISO8601,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Max,
  MaxLength,
  Min,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import type { Dto } from './operation';

/** The decorators of the fields without bounds. */
export const Text = IsString();
export const Texts = TextsOf();
export const Int = IsInt();
export const Flag = IsBoolean();
export const Uuid = IsUUID();
export const IsoDate = IsISO8601();
export const AnyObject = IsObject();
/** A `KeyMode`. */
export const Mode = IsIn(['production', 'test']);
export const OptionalText = Optional(Text);
export const OptionalTexts = Optional(Texts);
export const OptionalInt = Optional(Int);
export const OptionalFlag = Optional(Flag);
export const OptionalObject = Optional(AnyObject);

/** No bound, the most characters, or the least and the most. */
type Bounds = [] | [max: number] | [min: number, max: number];

/** A text. */
export function TextOf(...bounds: Bounds): PropertyDecorator {
  return allOf(Text, ...within(bounds));
}

/** An array of texts, of at most `countMax`. */
export function TextsOf(countMax?: number, ...bounds: Bounds): PropertyDecorator {
  return allOf(IsArray(), ...atMost(countMax), IsString({ each: true }), ...within(bounds, { each: true }));
}

/** An array of some of the values, of at most `countMax`. */
export function SomeOf(values: readonly unknown[], countMax?: number): PropertyDecorator {
  return allOf(IsArray(), ...atMost(countMax), IsIn(values, { each: true }));
}

/** An array of objects with any fields, of at most `countMax`. */
export function ObjectsOf(countMax?: number): PropertyDecorator {
  return allOf(IsArray(), ...atMost(countMax), IsObject({ each: true }));
}

/** An object of the class. */
export function IsNested(dto: Dto): PropertyDecorator {
  return allOf(IsDefined(), MaybeNested(dto));
}

/** As `IsNested`, or absent, but not `null`. */
export function MaybeNested(dto: Dto): PropertyDecorator {
  return allOf(
    ValidateNested(),
    Type(() => dto),
  );
}

/** An array of objects of the class, of at most `countMax`. */
export function IsListOf(dto: Dto, countMax?: number): PropertyDecorator {
  return allOf(
    IsArray(),
    ...atMost(countMax),
    ValidateNested({ each: true }),
    Type(() => dto),
  );
}

/** A value that `isValid` accepts. `name` is the constraint's, `rule` follows the path of any other value in errors. */
export function CheckedBy(name: string, isValid: (value: unknown) => boolean, rule: string): PropertyDecorator {
  return ValidateBy({ name, validator: { validate: isValid, defaultMessage: () => `$property ${rule}` } });
}

/** The field may be absent or `null`; the decorators apply to any other value. */
export function Optional(...decorators: PropertyDecorator[]): PropertyDecorator {
  return allOf(IsOptional(), ...decorators);
}

export const OptionalOneOf = (values: readonly unknown[]) => Optional(IsIn(values));
/** The most entries of a page. */
export const OptionalLimit = (max: number) => Optional(Int, Min(1), Max(max));
export const OptionalTextOf = (...bounds: Bounds) => Optional(TextOf(...bounds));
export const OptionalTextsOf = (countMax: number, ...bounds: Bounds) => Optional(TextsOf(countMax, ...bounds));
export const OptionalNested = (dto: Dto) => Optional(MaybeNested(dto));
export const OptionalListOf = (dto: Dto, countMax?: number) => Optional(IsListOf(dto, countMax));

/** The base of a class with texts that may be absent or `null`: `decorate` checks each of them. */
export function textFields<Name extends string>(decorate: PropertyDecorator, ...names: readonly Name[]): Dto<OptionalTextFields<Name>> {
  class Fields {}
  for (const name of names) decorate(Fields.prototype, name);
  return Fields;
}

type OptionalTextFields<Name extends string> = { [Field in Name]?: string | null };

/** The decorators as one, in reading order: the topmost comes first in errors. */
function allOf(...decorators: PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    for (const decorate of decorators.toReversed()) decorate(target, property);
  };
}

function within([first, second]: Bounds, each?: { each: true }) {
  if (first === undefined) return [];
  return [second === undefined ? MaxLength(first, each) : Length(first, second, each)];
}

function atMost(countMax: number | undefined) {
  return countMax === undefined ? [] : [ArrayMaxSize(countMax)];
}
