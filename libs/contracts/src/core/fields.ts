import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsDefined, IsObject, IsOptional, IsString, Length, MaxLength, ValidateNested } from 'class-validator';
import type { Dto } from './operation';
import { Paging } from './paging';

/** No bound, the most characters, or the least and the most. */
type Bounds = [] | [max: number] | [min: number, max: number];

/** A text. */
export function IsText(...bounds: Bounds): PropertyDecorator {
  return allOf(IsString(), ...within(bounds));
}

/** An array of texts, of at most `countMax`. */
export function IsTexts(countMax?: number, ...bounds: Bounds): PropertyDecorator {
  return allOf(IsArray(), ...atMost(countMax), IsString({ each: true }), ...within(bounds, { each: true }));
}

/** An object of the class. The class is named by a function, since it may be declared later. */
export function IsNested(dto: () => Dto): PropertyDecorator {
  return allOf(IsDefined(), ValidateNested(), Type(dto));
}

/** An array of objects of the class, of at most `countMax`. */
export function IsListOf(dto: () => Dto, countMax?: number): PropertyDecorator {
  return allOf(IsArray(), ...atMost(countMax), ValidateNested({ each: true }), Type(dto));
}

/** The field may be absent or `null`; the decorators apply to any other value. */
export function Optional(...decorators: PropertyDecorator[]): PropertyDecorator {
  return allOf(IsOptional(), ...decorators);
}

export const OptionalText = (...bounds: Bounds): PropertyDecorator => Optional(IsText(...bounds));
export const OptionalTexts = (countMax?: number, ...bounds: Bounds): PropertyDecorator => Optional(IsTexts(countMax, ...bounds));
export const OptionalObject = (): PropertyDecorator => Optional(IsObject());
export const OptionalNested = (dto: () => Dto): PropertyDecorator => Optional(ValidateNested(), Type(dto));
export const OptionalListOf = (dto: () => Dto, countMax?: number): PropertyDecorator => Optional(IsListOf(dto, countMax));

/** The base of a page with `results` of the class (shape P1). */
export function resultsOf<Item extends object>(dto: Dto<Item>): Dto<{ paging: Paging; results: Item[] }> {
  class Results {
    @IsNested(() => Paging)
    paging!: Paging;

    @IsListOf(() => dto)
    results!: Item[];
  }
  return Results;
}

/** The decorators as one, in reading order: the topmost comes first in errors. */
function allOf(...decorators: PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    for (const decorate of decorators.toReversed()) decorate(target, property);
  };
}

function within([first, second]: Bounds, each?: { each: true }): PropertyDecorator[] {
  if (first === undefined) return [];
  return [second === undefined ? MaxLength(first, each) : Length(first, second, each)];
}

function atMost(countMax: number | undefined): PropertyDecorator[] {
  return countMax === undefined ? [] : [ArrayMaxSize(countMax)];
}
