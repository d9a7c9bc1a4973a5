import { ValidateBy, type ValidationOptions } from 'class-validator';
import { accepts } from './compiled-class';
import { isJsonObject } from './deep-merge';
import { Optional } from './fields';
import type { Dto } from './operation';
import { FITS } from './shape';
import { violationsOf } from './violations';

/**
 * Checks that the class accepts the object, and leaves the object unchanged: undeclared fields remain, which `@ValidateNested` drops.
 * For values that are stored as given.
 */
export function Fits(dto: Dto, options?: ValidationOptions): PropertyDecorator {
  return ValidateBy(
    {
      name: FITS,
      constraints: [dto],
      validator: {
        validate: (value) => isJsonObject(value) && (accepts(dto, value, 0) || violationsOf(dto, value).length === 0),
        defaultMessage: () => '$property does not have the required shape',
      },
    },
    options,
  );
}

/** As `Fits`, where the value may be absent or `null`. */
export const OptionalFits = (dto: Dto) => Optional(Fits(dto));
