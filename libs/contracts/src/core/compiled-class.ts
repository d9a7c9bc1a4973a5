import { isJsonObject } from './deep-merge';
import type { Dto } from './operation';
import { checkOf } from './quick-checks';
import { isGiven } from './refusals';
import { type Field, type Rule, shapeOf } from './shape';
import { NESTING_DEPTH_MAX } from './text';

/** Properties by name: an object of any class. */
export type Values = Record<string, unknown>;

/**
 * A checked instance of a class with only the declared properties of `plain`, or undefined if `plain` is not valid.
 * `depth` counts the objects around `plain`. May throw what a `@Transform` throws.
 */
type Build = (plain: object, depth: number) => object | undefined;

const builds = new Map<Dto, Build>();

/** The compiled check of a class. Throws on a class that cannot be compiled (`shapeOf`). */
export function buildOf(dto: Dto): Build {
  let build = builds.get(dto);
  if (!build) builds.set(dto, (build = compile(dto)));
  return build;
}

/** Whether the compiled check accepts an object; false also if a `@Transform` gets a value it does not expect. */
export function accepts(dto: Dto, plain: object, depth: number): boolean {
  try {
    return buildOf(dto)(plain, depth) !== undefined;
  } catch {
    return false;
  }
}

function compile(dto: Dto): Build {
  const parts = shapeOf(dto).map((field) => ({ name: field.name, build: buildField(field), accepts: acceptField(field) }));
  return (plain, depth) => {
    if (depth > NESTING_DEPTH_MAX) return undefined;
    const instance = new dto() as Values;
    for (const { name, build } of parts) {
      const given = (plain as Values)[name];
      if (given === undefined) continue;
      const value = build ? build(given, plain, depth) : given;
      if (value === REFUSED) return undefined;
      instance[name] = value;
    }
    // A rule may depend on the whole object, so rules run once every property is set.
    for (const { name, accepts } of parts) if (!accepts(instance[name], instance)) return undefined;
    return instance;
  };
}

/** Result for a value that cannot be converted to the declared type. */
export const REFUSED = Symbol('refused');

/** Converts a given value to the property's; returns `REFUSED` if it cannot. Undefined if the property needs no conversion. */
export function buildField(field: Field): ((given: unknown, plain: object, depth: number) => unknown) | undefined {
  const { nested, convert } = field;
  if (!nested) return convert && ((given, plain) => convert(given, plain));

  let build: Build | undefined; // compiled on first use: a class may contain itself
  const instantiate = (given: unknown, depth: number): unknown => {
    if (!isJsonObject(given)) return REFUSED;
    return (build ??= buildOf(nested))(given, depth + 1) ?? REFUSED;
  };
  const { one, many } = allowedForms(field);
  const nestedValue = (given: unknown, depth: number): unknown => {
    if (given === null) return null;
    if (!Array.isArray(given)) return one ? instantiate(given, depth) : REFUSED;
    if (!many) return REFUSED;
    const instances: unknown[] = new Array(given.length);
    for (let index = 0; index < given.length; index += 1) {
      if ((instances[index] = instantiate(given[index], depth)) === REFUSED) return REFUSED;
    }
    return instances;
  };
  if (!convert) return (given, _, depth) => nestedValue(given, depth);
  return (given, plain, depth) => {
    const value = nestedValue(given, depth);
    return value === REFUSED ? REFUSED : convert(value, plain);
  };
}

/**
 * Whether a field of a class accepts one object, an array, or both. class-validator accepts both everywhere, and nested arrays too;
 * a handler that declares a class must not receive an array, so the declaration decides here.
 */
export function allowedForms({ designType, rules, isEach }: Field): { one: boolean; many: boolean } {
  const onlyMany = designType === Array || rules.some(({ name, each }) => name === 'isArray' && !each);
  return { one: !onlyMany, many: onlyMany || isEach };
}

function acceptField({ optional, rules, nested }: Field): (value: unknown, object: object) => boolean {
  const checks = rules.map(acceptRule);
  if (nested) checks.push((value) => value !== null);
  return (value, object) => {
    if (optional && !isGiven(value)) return true;
    for (const check of checks) if (!check(value, object)) return false;
    return true;
  };
}

function acceptRule(rule: Rule): (value: unknown, object: object) => boolean {
  const check = checkOf(rule);
  if (!rule.each) return check;
  return (value, object) => (Array.isArray(value) ? value.every((element) => check(element, object)) : check(value, object));
}
