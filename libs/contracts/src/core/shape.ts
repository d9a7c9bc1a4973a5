import 'reflect-metadata';
import { type TransformMetadata, TransformationType, type TypeMetadata } from 'class-transformer';
import type { MetadataStorage } from 'class-transformer/types/MetadataStorage';
import { getMetadataStorage, type ValidationArguments } from 'class-validator';
import type { Dto } from './operation';

/**
 * What `@Type` and `@Transform` declared. class-transformer exports no way to read it and ships no types for this file, so its version is
 * pinned, and `validator.spec.ts` tests what is read here.
 */
const { defaultMetadataStorage } = require('class-transformer/cjs/storage') as {
  defaultMetadataStorage: MetadataStorage;
};

type ValidationMetadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** One constraint of a field, as its decorator declared it. */
export interface Rule {
  /** class-validator's name of the constraint: `isString`, `maxLength`. */
  readonly name: string;
  readonly parameters: readonly unknown[];
  /** Checks an array element by element, any other value as a whole. */
  readonly each: boolean;
  /** Whether the constraint accepts one value. A constraint that throws refuses. */
  accepts(value: unknown, object: object): boolean;
  /** The constraint's own message about one value, with the field's name. */
  message(value: unknown, object: object): string;
}

/** One property as declared by the decorators of its class: the single source of validator, documentation and request parts. */
export interface Field {
  readonly name: string;
  /** The class of the shape that the field is part of. */
  readonly dto: Dto;
  /** The property type that TypeScript emitted: `String`, `Array`, a class; `Object` for unions and records. */
  readonly designType: unknown;
  /** The initial value in a new instance, used if the field is absent. */
  readonly preset: unknown;
  /** The field may be absent or `null`. */
  readonly optional: boolean;
  /** In reading order: the topmost decorator, by convention the type, comes first. */
  readonly rules: readonly Rule[];
  /** The class of the value, or of its elements. */
  readonly nested?: Dto;
  /** The class that `@Fits` checks the value, or its elements, by. */
  readonly fitted?: Dto;
  /** One of them is declared with `each: true`: the field may have an array. */
  readonly isEach: boolean;
  /** The conversion of a given value by `@Transform`. */
  readonly convert?: (value: unknown, plain: object) => unknown;
}

/** The name of `@Fits`; its parameter is the class. */
export const FITS = 'fits';

const shapes = new Map<Dto, readonly Field[]>();

/**
 * The declarations of a class and its ancestors. Read once per class, together with the classes in its fields.
 * Throws on declarations that would let unchecked objects through, or that cannot be compiled.
 */
export function shapeOf(dto: Dto): readonly Field[] {
  const cached = shapes.get(dto);
  if (cached) return cached;
  const shape = readShape(dto);
  shapes.set(dto, shape); // before the classes in its fields: a class may contain itself
  try {
    for (const { nested, fitted } of shape) {
      const inner = nested ?? fitted;
      if (inner) shapeOf(inner);
    }
  } catch (error) {
    shapes.delete(dto);
    throw error;
  }
  return shape;
}

function readShape(dto: Dto) {
  const metadatas = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  const names = new Set(metadatas.map(({ propertyName }) => propertyName));
  if (defaultMetadataStorage.getExposedMetadatas(dto).length > 0 || defaultMetadataStorage.getExcludedMetadatas(dto).length > 0)
    throw new Error(`${dto.name} has @Expose or @Exclude, which cannot be compiled`);
  return [...names].map((name) =>
    readField(
      dto,
      name,
      metadatas.filter(({ propertyName }) => propertyName === name),
    ),
  );
}

function readField(dto: Dto, name: string, metadatas: ValidationMetadata[]): Field {
  if (name in Object.prototype) throw new Error(`${dto.name}.${name}: every object has a property of this name already`);
  const type = defaultMetadataStorage.findTypeMetadata(dto, name);
  const transforms = defaultMetadataStorage.findTransformMetadatas(dto, name, TransformationType.PLAIN_TO_CLASS);
  const uncompiled = uncompiledOf(metadatas, type, transforms);
  if (uncompiled) throw new Error(`${dto.name}.${name} has ${uncompiled}, which cannot be compiled`);
  const nestedRule = metadatas.find((metadata) => metadata.type === 'nestedValidation');
  const nested = type?.typeFunction() as Dto | undefined;
  if (nestedRule && !nested) throw new Error(`${dto.name}.${name} is @ValidateNested without the @Type of a class`);
  if (!nestedRule && nested) throw new Error(`${dto.name}.${name} has the @Type of a class and must be @ValidateNested`);

  const rules = metadatas
    .filter((metadata) => metadata.type === 'customValidation' || metadata.type === 'isDefined')
    .reverse()
    .flatMap((metadata) => readRules(dto, metadata));
  const fits = rules.find((rule) => rule.name === FITS);
  return {
    name,
    dto,
    designType: Reflect.getMetadata('design:type', dto.prototype as object, name) as unknown,
    preset: (new dto() as Record<string, unknown>)[name],
    optional: metadatas.some((metadata) => metadata.name === 'isOptional'),
    rules,
    nested,
    fitted: fits?.parameters[0] as Dto | undefined,
    isEach: Boolean((nestedRule ?? fits)?.each),
    convert: conversionOf(name, transforms),
  };
}

function readRules(dto: Dto, metadata: ValidationMetadata): Rule[] {
  const { propertyName: property, each = false } = metadata;
  const parameters: unknown[] = metadata.constraints ?? [];
  return getMetadataStorage()
    .getTargetValidatorConstraints(metadata.constraintCls)
    .map(({ instance, name, async }) => {
      if (async) throw new Error(`${dto.name}.${property}: ${name} is asynchronous, a contract is checked at once`);
      const args = (value: unknown, object: object): ValidationArguments => ({
        targetName: dto.name,
        property,
        object,
        value,
        constraints: parameters,
      });
      return {
        name: metadata.name ?? name,
        parameters,
        each,
        accepts(value, object) {
          try {
            return Boolean(instance.validate(value, args(value, object)));
          } catch {
            return false;
          }
        },
        message(value, object) {
          const given = metadata.message || (instance.defaultMessage?.(args(value, object)) ?? '');
          const text = typeof given === 'function' ? given(args(value, object)) : given;
          return text
            .replace(/\$constraint(\d+)/g, (_, index) => listed(parameters[Number(index) - 1]))
            .replace(/\$property/g, () => property)
            .replace(/\$target/g, () => dto.name);
        },
      };
    });
}

function listed(parameter: unknown) {
  return Array.isArray(parameter) ? parameter.join(', ') : String(parameter);
}

function conversionOf(key: string, transforms: readonly TransformMetadata[]): Field['convert'] {
  if (transforms.length === 0) return undefined;
  const type = TransformationType.PLAIN_TO_CLASS;
  return (value, obj) =>
    transforms.reduce<unknown>(
      (current, { transformFn }) => transformFn({ value: current, key, obj, type, options: {} }) as unknown,
      value,
    );
}

/** The first feature of a field that depends on options or on values. */
function uncompiledOf(
  metadatas: readonly ValidationMetadata[],
  declared: TypeMetadata | undefined,
  transforms: readonly TransformMetadata[],
) {
  if (metadatas.some(({ groups }) => groups?.length)) return 'validation groups';
  if (metadatas.some(({ type }) => type === 'promiseValidation')) return 'a promise';
  const isConditional = ({ type, name, validateIf }: ValidationMetadata) =>
    validateIf !== undefined || (type === 'conditionalValidation' && name !== 'isOptional');
  if (metadatas.some(isConditional)) return 'a condition';
  if (declared?.options?.discriminator || (declared && declared.typeFunction.length > 0)) return 'a @Type chosen by the value';
  if (declared && PRIMITIVES.has(declared.typeFunction())) return 'the @Type of a primitive';
  return transforms.some(({ options }) => options?.groups?.length) ? 'transformation groups' : undefined;
}

const PRIMITIVES: ReadonlySet<unknown> = new Set([String, Number, Boolean]);
