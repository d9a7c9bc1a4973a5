// eslint-disable-next-line @typescript-eslint/triple-slash-reference -- an ambient module cannot be imported, and other projects compile this file without the folder
/// <reference path="./class-transformer-storage.d.ts" />
import 'reflect-metadata';
import { TransformationType } from 'class-transformer';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage';
import { getMetadataStorage, type ValidationArguments } from 'class-validator';
import type { Dto } from './operation';

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
  /** The conversion of a given value by `@Type(() => Number)` and `@Transform`. */
  readonly convert?: (value: unknown, plain: object) => unknown;
}

export interface Shape {
  readonly dto: Dto;
  readonly fields: readonly Field[];
  /** The reason why only class-validator itself can check this class; absent for nearly all. */
  readonly unsupported?: string;
}

const shapes = new Map<Dto, Shape>();

/**
 * The declarations of a class and its ancestors. Read once per class.
 * Throws on declarations that would let unchecked objects through.
 */
export function shapeOf(dto: Dto): Shape {
  let shape = shapes.get(dto);
  if (!shape) shapes.set(dto, (shape = readShape(dto)));
  return shape;
}

function readShape(dto: Dto): Shape {
  const byField = new Map<string, ValidationMetadata[]>();
  for (const metadata of getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false)) {
    const declared = byField.get(metadata.propertyName);
    if (declared) declared.push(metadata);
    else byField.set(metadata.propertyName, [metadata]);
  }
  const fields = [...byField].map(([name, metadatas]) => readField(dto, name, metadatas));
  return { dto, fields, unsupported: unsupportedOf(dto, byField) };
}

function readField(dto: Dto, name: string, metadatas: ValidationMetadata[]): Field {
  if (name in Object.prototype) throw new Error(`${dto.name}.${name}: every object has a property of this name already`);
  const nestedRule = metadatas.find(({ type }) => type === 'nestedValidation');
  const typeFunction = defaultMetadataStorage.findTypeMetadata(dto, name)?.typeFunction;
  const declaredType = typeFunction?.length === 0 ? (typeFunction() as Dto) : undefined;
  const primitive = PRIMITIVES.get(declaredType);
  if (nestedRule && (!typeFunction || primitive)) throw new Error(`${dto.name}.${name} is @ValidateNested without the @Type of a class`);
  if (!nestedRule && declaredType && !primitive)
    throw new Error(`${dto.name}.${name} has the @Type of a class and must be @ValidateNested`);

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
    nested: nestedRule ? declaredType : undefined,
    nestedEach: Boolean(nestedRule?.each),
    convert: conversionOf(dto, name, primitive),
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

function listed(parameter: unknown): string {
  return Array.isArray(parameter) ? parameter.join(', ') : String(parameter);
}

/** The types that class-transformer converts to by calling them. */
const PRIMITIVES = new Map<unknown, (value: unknown) => unknown>([
  [String, String],
  [Number, Number],
  [Boolean, Boolean],
]);

function conversionOf(dto: Dto, key: string, primitive?: (value: unknown) => unknown): Field['convert'] {
  const transforms = defaultMetadataStorage.findTransformMetadatas(dto, key, TransformationType.PLAIN_TO_CLASS);
  if (!primitive && transforms.length === 0) return undefined;
  const typed = (value: unknown): unknown => {
    if (!primitive || value === null || value === undefined) return value;
    return Array.isArray(value) ? value.map(typed) : primitive(value);
  };
  return (value, plain) =>
    transforms.reduce<unknown>(
      (current, { transformFn }) =>
        transformFn({ value: current, key, obj: plain, type: TransformationType.PLAIN_TO_CLASS, options: {} }) as unknown,
      typed(value),
    );
}

/** The first feature that depends on options or on the value itself; class-validator then checks the class. */
function unsupportedOf(dto: Dto, byField: Map<string, ValidationMetadata[]>): string | undefined {
  const storage = defaultMetadataStorage;
  if (storage.getExposedMetadatas(dto).length > 0 || storage.getExcludedMetadatas(dto).length > 0) return '@Expose or @Exclude';
  for (const [name, metadatas] of byField) {
    if (metadatas.some(({ groups }) => groups?.length)) return `${name}: validation groups`;
    if (metadatas.some(({ type }) => type === 'promiseValidation')) return `${name}: promises`;
    const type = storage.findTypeMetadata(dto, name);
    if (type?.options?.discriminator || (type?.typeFunction && type.typeFunction.length > 0)) return `${name}: a type chosen by the value`;
    const transforms = storage.findTransformMetadatas(dto, name, TransformationType.PLAIN_TO_CLASS);
    if (transforms.some(({ options }) => options?.groups?.length)) return `${name}: transformation groups`;
  }
  return undefined;
}
