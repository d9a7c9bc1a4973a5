import { ValidateBy, type ValidationOptions } from 'class-validator';
import { compiledClass } from './compiled-class';
import { isJsonObject } from './deep-merge';
import type { Dto } from './operation';
import { FITS, violationsOf } from './violations';

/**
 * The object is one that the class would accept, and stays as it came: what the class does not declare is kept, where
 * `@ValidateNested` drops it. For what is stored as it was put.
 */
export function Fits(dto: Dto, options?: ValidationOptions): PropertyDecorator {
  let isQuicklyFit: ((value: object) => boolean) | undefined; // made when a value comes: classes may contain themselves
  return ValidateBy(
    {
      name: FITS,
      constraints: [dto],
      validator: {
        validate: (value) => isJsonObject(value) && ((isQuicklyFit ??= quickCheckOf(dto))(value) || violationsOf(dto, value).length === 0),
        defaultMessage: () => '$property does not have the shape that is asked',
      },
    },
    options,
  );
}

/** Nearly all that fits is found so, at a fraction of the cost; what is not may fit all the same. */
function quickCheckOf(dto: Dto): (value: object) => boolean {
  const build = compiledClass(dto);
  return (value) => {
    try {
      return build?.(value, 0) !== undefined;
    } catch {
      return false; // a @Transform met a value it was not written for
    }
  };
}
