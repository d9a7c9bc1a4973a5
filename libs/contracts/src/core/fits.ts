import { ValidateBy, type ValidationOptions } from 'class-validator';
import { compiledClass } from './compiled-class';
import { isJsonObject } from './deep-merge';
import type { Dto } from './operation';
import { FITS, violationsOf } from './violations';

/**
 * Checks that the class accepts the object, and leaves the object unchanged: undeclared fields remain, which `@ValidateNested` drops.
 * For values that are stored as given.
 */
export function Fits(dto: Dto, options?: ValidationOptions): PropertyDecorator {
  let isQuicklyFit: ((value: object) => boolean) | undefined; // created on first use: classes may contain themselves
  return ValidateBy(
    {
      name: FITS,
      constraints: [dto],
      validator: {
        validate: (value) => isJsonObject(value) && ((isQuicklyFit ??= quickCheckOf(dto))(value) || violationsOf(dto, value).length === 0),
        defaultMessage: () => '$property does not have the required shape',
      },
    },
    options,
  );
}

/** A cheap check for the common case: true means the value fits, false means it still may. */
function quickCheckOf(dto: Dto): (value: object) => boolean {
  const build = compiledClass(dto);
  return (value) => {
    try {
      return build?.(value, 0) !== undefined;
    } catch {
      return false; // a @Transform got a value it does not expect
    }
  };
}
