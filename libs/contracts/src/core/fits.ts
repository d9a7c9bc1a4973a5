import { ValidateBy, type ValidationOptions } from 'class-validator';
import { isPlainObject } from './compiled-class';
import type { Dto } from './operation';
import { FITS, violationsOf } from './violations';

/**
 * The object is one that the class would accept, and stays as it came: what the class does not declare is kept, where
 * `@ValidateNested` drops it. For what is stored as it was put.
 */
export function Fits(dto: Dto, options?: ValidationOptions): PropertyDecorator {
  return ValidateBy(
    {
      name: FITS,
      constraints: [dto],
      validator: {
        validate: (value) => isPlainObject(value) && violationsOf(dto, value).length === 0,
        defaultMessage: () => '$property does not have the shape that is asked',
      },
    },
    options,
  );
}
