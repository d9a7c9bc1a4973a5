import { buildOf } from './compiled-class';
import { isJsonObject } from './deep-merge';
import type { Dto } from './operation';
import { invalid } from './refusals';
import { mustBe, type RequestSources, violationsOf } from './violations';

/** Returns a checked instance of the class, or throws `ServiceError('invalid_request')` naming the invalid fields. */
export type Validator<T extends object> = (plain: unknown) => T;

/**
 * The validator of a class, compiled from its class-validator and class-transformer decorators. Throws at once on a class that cannot be
 * compiled (`shapeOf`).
 * Drops undeclared properties, instantiates nested classes, passes free objects unchanged; never changes its input.
 * Errors name fields as `sources` says: those inside `bodyField` without its prefix, `provider_key` instead of `body.provider_key`.
 */
export function validatorOf<T extends object>(dto: Dto<T>, sources?: RequestSources): Validator<T> {
  const build = buildOf(dto);
  return (plain) => {
    if (!isJsonObject(plain)) throw invalid(mustBe('an object', 'The request', plain));
    try {
      const instance = build(plain, 0);
      if (instance) return instance as T;
    } catch {
      // A @Transform got a value it does not expect; the rules report it below.
    }
    throw invalid(violationsOf(dto, plain, sources).join('; ') || 'The request cannot be read');
  };
}

/** `plain` as a checked instance of `dto`. @throws ServiceError `invalid_request` naming the invalid fields. */
export function validate<T extends object>(dto: Dto<T>, plain: unknown): T {
  return validatorOf(dto)(plain);
}
