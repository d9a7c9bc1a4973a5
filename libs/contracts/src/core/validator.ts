import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { compiledClass } from './compiled-class';
import { isJsonObject } from './deep-merge';
import { ServiceError } from './errors';
import type { Dto } from './operation';
import { mustBe, sentencesOf, violationsOf } from './violations';

/** Returns a checked instance of the class, or throws `ServiceError('invalid_request')` naming the invalid fields. */
export type Validator<T extends object> = (plain: unknown) => T;

const validators = new Map<Dto, Validator<object>>();

/**
 * The validator of a class, made once from its class-validator and class-transformer decorators.
 * Drops undeclared properties, instantiates nested classes, passes free objects unchanged; never changes its input.
 * Throws at once on invalid declarations (`shapeOf`).
 */
export function validatorOf<T extends object>(dto: Dto<T>): Validator<T> {
  let validator = validators.get(dto);
  if (!validator) validators.set(dto, (validator = makeValidator(dto)));
  return validator as Validator<T>;
}

/** `plain` as a checked instance of `dto`. @throws ServiceError `invalid_request` naming the invalid fields. */
export function validate<T extends object>(dto: Dto<T>, plain: unknown): T {
  return validatorOf(dto)(plain);
}

/** As `validatorOf`, but errors name fields inside `bodyField` without its prefix: `provider_key` instead of `body.provider_key`. */
export function bodyValidatorOf<T extends object>(dto: Dto<T>, bodyField: keyof T & string): Validator<T> {
  return makeValidator(dto, bodyField) as Validator<T>;
}

function makeValidator(dto: Dto, bodyField?: string): Validator<object> {
  const build = compiledClass(dto);
  if (!build) return (plain) => checkByLibrary(dto, requireObject(plain));
  return (plain) => {
    const object = requireObject(plain);
    let instance: object | undefined;
    try {
      instance = build(object, 0);
    } catch {
      // A @Transform got a value it does not expect; the rules report it below.
    }
    if (instance) return instance;
    const sentences = violationsOf(dto, object, { bodyField });
    if (sentences.length > 0) throw invalid(sentences);
    return checkByLibrary(dto, object);
  };
}

/** The check by class-validator itself, on a copy: some features of class-transformer change their input. */
function checkByLibrary(dto: Dto, plain: object): object {
  let instance: object;
  try {
    instance = plainToInstance(dto, structuredClone(plain));
  } catch {
    throw invalid(['The request cannot be read']);
  }
  const sentences = sentencesOf(validateSync(instance, { whitelist: true, forbidUnknownValues: false }));
  if (sentences.length > 0) throw invalid(sentences);
  return instance;
}

function requireObject(plain: unknown): object {
  if (!isJsonObject(plain)) throw invalid([mustBe('an object', 'The request', plain)]);
  return plain;
}

function invalid(sentences: readonly string[]): ServiceError {
  return new ServiceError('invalid_request', sentences.join('; '));
}
