import 'reflect-metadata';
import { createRequire } from 'node:module';
import { TransformationType } from 'class-transformer';
import type { MetadataStorage } from 'class-transformer/types/MetadataStorage';
import { getMetadataStorage, type ValidationArguments } from 'class-validator';
import type { Dto } from './operation';

/**
 * What `@Type` and `@Transform` declared. class-transformer exports no way to read it and ships no types for this file, so its version is
 * pinned, and `validator.spec.ts` tests what is read here.
 */
const { defaultMetadataStorage } = createRequire(__filename)('class-transformer/cjs/storage') as {
  defaultMetadataStorage: MetadataStorage;
};

type ValidationMetadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];
type Condition = (object: object, value: unknown) => boolean;

/** One constraint of a field, as its decorator declared it. */
export interface Rule {
  /** class-validator's name of the constraint: `isString`, `maxLength`. */
  readonly name: string;
  readonly parameters: readonly unknown[];
  /** Checks an array element by element, any other value as a whole. */
  readonly each: boolean;
  /** The decorator's `validateIf` option: the rule applies only if it returns true. */
  readonly when?: Condition;
  /** Whether the constraint accepts one value. A constraint that throws refuses. */
  holds(value: unknown, object: object): boolean;
  /** The constraint's own message about one value, with the field's name. */
  message(value: unknown, object: object): string;
}

/** One property as declared by the decorators of its class: the single source of validator, documentation and request parts. */
export interface Field {
  readonly name: string;
  /** The property type that TypeScript emitted: `String`, `Array`, a class; `Object` for unions and records. */
  readonly designType: unknown;
  /** The initial value in a new instance, used if the field is absent. */
  readonly preset: unknown;
  /** The field may be absent or `null`. */
  readonly optional: boolean;
  /** Conditions other than `@IsOptional`; the rules apply only if all of them hold. */
  readonly conditions: readonly Condition[];
  /** In reading order: the topmost decorator, by convention the type, comes first. */
  readonly rules: readonly Rule[];
  /** The class of the value, or of its elements. */
  readonly nested?: Dto;
  /** Declared by `@ValidateNested({ each: true })`: the field may have an array. */
  readonly nestedEach: boolean;
  /** The conversion of a given value by `@Transform`. */
  readonly convert?: (value: unknown, plain: object) => unknown;
}

export interface Shape {
  readonly dto: Dto;
  readonly fields: readonly Field[];
}

/** The name of `@Fits`; its parameter is the class. */
export const FITS = 'fits';

const shapes = new Map<Dto, Shape>();

/**
 * The declarations of a class and its ancestors. Read once per class, together with the classes in its fields.
 * Throws on declarations that would let unchecked objects through, or that cannot be compiled.
 */
export function shapeOf(dto: Dto): Shape {
  const known = shapes.get(dto);
  if (known) return known;
  const shape = readShape(dto);
  shapes.set(dto, shape); // before the classes in its fields: a class may contain itself
  try {
    for (const field of shape.fields) classesOf(field).forEach(shapeOf);
  } catch (error) {
    shapes.delete(dto);
    throw error;
  }
  return shape;
}

function classesOf({ nested, rules }: Field) {
  const fitted = rules.flatMap(({ name, parameters }) => (name === FITS ? [parameters[0] as Dto] : []));
  return nested ? [nested, ...fitted] : fitted;
}

function readShape(dto: Dto): Shape {
  const byField = new Map<string, ValidationMetadata[]>();
  for (const metadata of getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false)) {
    const declared = byField.get(metadata.propertyName);
    if (declared) declared.push(metadata);
    else byField.set(metadata.propertyName, [metadata]);
  }
  if (defaultMetadataStorage.getExposedMetadatas(dto).length > 0 || defaultMetadataStorage.getExcludedMetadatas(dto).length > 0)
    throw new Error(`${dto.name} has @Expose or @Exclude, which cannot be compiled`);
  return { dto, fields: [...byField].map(([name, metadatas]) => readField(dto, name, metadatas)) };
}

function readField(dto: Dto, name: string, metadatas: ValidationMetadata[]): Field {
  if (name in Object.prototype) throw new Error(`${dto.name}.${name}: every object has a property of this name already`);
  const uncompiled = uncompiledOf(dto, name, metadatas);
  if (uncompiled) throw new Error(`${dto.name}.${name} has ${uncompiled}, which cannot be compiled`);
  const nestedRule = metadatas.find(({ type }) => type === 'nestedValidation');
  const declaredType = defaultMetadataStorage.findTypeMetadata(dto, name)?.typeFunction() as Dto | undefined;
  if (nestedRule && !declaredType) throw new Error(`${dto.name}.${name} is @ValidateNested without the @Type of a class`);
  if (!nestedRule && declaredType) throw new Error(`${dto.name}.${name} has the @Type of a class and must be @ValidateNested`);

  const conditional = metadatas.filter(({ type }) => type === 'conditionalValidation');
  return {
    name,
    designType: Reflect.getMetadata('design:type', dto.prototype as object, name) as unknown,
    preset: (new dto() as Record<string, unknown>)[name],
    optional: conditional.some((metadata) => metadata.name === 'isOptional'),
    conditions: conditional.filter((metadata) => metadata.name !== 'isOptional').map(({ constraints }) => constraints[0] as Condition),
    rules: metadatas
      .filter(({ type }) => type === 'customValidation' || type === 'isDefined')
      .reverse()
      .flatMap((metadata) => readRules(dto, metadata)),
    nested: declaredType,
    nestedEach: Boolean(nestedRule?.each),
    convert: conversionOf(dto, name),
  };
}

function readRules(dto: Dto, metadata: ValidationMetadata): Rule[] {
  const { propertyName: property, constraints = [], each = false, validateIf } = metadata;
  return getMetadataStorage()
    .getTargetValidatorConstraints(metadata.constraintCls)
    .map(({ instance, name, async }) => {
      if (async) throw new Error(`${dto.name}.${property}: ${name} is asynchronous, a contract is checked at once`);
      const args = (value: unknown, object: object): ValidationArguments => ({
        targetName: dto.name,
        property,
        object,
        value,
        constraints: constraints as unknown[],
      });
      return {
        name: metadata.name ?? name,
        parameters: constraints as unknown[],
        each,
        when: validateIf,
        holds(value, object) {
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
            .replace(/\$constraint(\d+)/g, (_, index) => listed((constraints as unknown[])[Number(index) - 1]))
            .replace(/\$property/g, () => property)
            .replace(/\$target/g, () => dto.name);
        },
      };
    });
}

function listed(parameter: unknown) {
  return Array.isArray(parameter) ? parameter.join(', ') : String(parameter);
}

function conversionOf(dto: Dto, key: string): Field['convert'] {
  const transforms = defaultMetadataStorage.findTransformMetadatas(dto, key, TransformationType.PLAIN_TO_CLASS);
  if (transforms.length === 0) return undefined;
  const type = TransformationType.PLAIN_TO_CLASS;
  return (value, obj) =>
    transforms.reduce<unknown>(
      (current, { transformFn }) => transformFn({ value: current, key, obj, type, options: {} }) as unknown,
      value,
    );
}

/** The first feature of a field that depends on options or on the value itself. */
function uncompiledOf(dto: Dto, name: string, metadatas: readonly ValidationMetadata[]): string | undefined {
  if (metadatas.some(({ groups }) => groups?.length)) return 'validation groups';
  if (metadatas.some(({ type }) => type === 'promiseValidation')) return 'a promise';
  const type = defaultMetadataStorage.findTypeMetadata(dto, name);
  if (type?.options?.discriminator || (type && type.typeFunction.length > 0)) return 'a @Type chosen by the value';
  if (type && PRIMITIVES.has(type.typeFunction())) return 'the @Type of a primitive';
  const transforms = defaultMetadataStorage.findTransformMetadatas(dto, name, TransformationType.PLAIN_TO_CLASS);
  return transforms.some(({ options }) => options?.groups?.length) ? 'transformation groups' : undefined;
}

const PRIMITIVES: ReadonlySet<unknown> = new Set([String, Number, Boolean]);
