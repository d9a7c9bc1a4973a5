import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { compiledClass } from './compiled-class';
import { isJsonObject } from './deep-merge';
import { ServiceError } from './errors';
import type { Dto } from './operation';
import { mustBe, sentencesOf, violationsOf } from './violations';

/** A checked instance of the class, or `ServiceError('invalid_request')` naming the fields that are wrong. */
export type Validator<T extends object> = (plain: unknown) => T;

const validators = new Map<Dto, Validator<object>>();

/**
 * The validator of a class, made once from its class-validator and class-transformer decorators.
 * Properties the class does not declare are dropped, nested classes are instantiated, free objects are passed as they
 * are; the input is never changed. Throws at once on declarations that can only be mistakes.
 */
export function validatorOf<T extends object>(dto: Dto<T>): Validator<T> {
  let validator = validators.get(dto);
  if (!validator) validators.set(dto, (validator = makeValidator(dto)));
  return validator as Validator<T>;
}

/** `plain` as a checked instance of `dto`; throws `ServiceError('invalid_request')` naming the fields that are wrong. */
export function validate<T extends object>(dto: Dto<T>, plain: unknown): T {
  return validatorOf(dto)(plain);
}

/** A validator like `validatorOf`'s that speaks of `bodyField` as of the body: `provider_key`, where others say `body.provider_key`. */
export function bodyValidatorOf<T extends object>(dto: Dto<T>, bodyField: keyof T & string): Validator<T> {
  return makeValidator(dto, bodyField) as Validator<T>;
}

function makeValidator(dto: Dto, bodyField?: string): Validator<object> {
  const build = compiledClass(dto);
  if (!build) return (plain) => judge(dto, requireObject(plain));
  return (plain) => {
    const object = requireObject(plain);
    let instance: object | undefined;
    try {
      instance = build(object, 0);
    } catch {
      // A @Transform met a value it was not written for; the rules say what is wrong with it.
    }
    if (instance) return instance;
    const sentences = violationsOf(dto, object, { bodyField });
    if (sentences.length > 0) throw invalid(sentences);
    return judge(dto, object);
  };
}

/** class-validator's own judgement, on a copy: some of class-transformer's features write to what they read. */
function judge(dto: Dto, plain: object): object {
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
