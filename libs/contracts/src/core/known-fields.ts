import { isJsonObject, type JsonObject } from './deep-merge';
import { areSimilar, nearestName } from './nearest';
import type { Dto } from './operation';
import { invalid } from './refusals';
import { shapeOf } from './shape';
import { keyPath } from './text';

/** How many unknown fields of one value are named. */
const UNKNOWN_MAX = 10;
/** How many of them an error names. */
const REFUSED_MAX = 3;

/**
 * The known fields of an object, or of each object of an array, each with the known fields of its value (`null`: any value).
 * Any other field has no meaning, unless the object `isOpen`.
 */
export interface KnownFields {
  readonly fields: ReadonlyMap<string, KnownFields | null>;
  readonly isOpen?: boolean;
  /** The known fields of every value, whatever its name. */
  readonly each?: KnownFields;
  /** Replaces all of these where the fields depend on the object: returns the known fields of that object. */
  readonly dependingOn?: (object: JsonObject) => KnownFields;
}

/** Known fields of classes that they do not declare. */
const undeclared = new Map<object, { names: readonly string[]; isOpen: boolean }>();

/** Class decorator: clients send these fields too, which have no effect. `names` is separated by spaces. */
export function FieldsWithoutEffect(names: string): ClassDecorator {
  return (dto) => void undeclared.set(dto, { names: names.split(' '), isOpen: false });
}

/** Class decorator: other fields than the declared ones are allowed. */
export const AnyField: ClassDecorator = (dto) => void undeclared.set(dto, { names: [], isOpen: true });

/** The known fields that a class does not declare. */
export function undeclaredOf(dto: Dto): { readonly names: readonly string[]; readonly isOpen: boolean } {
  const own = undeclared.get(dto);
  const above = Object.getPrototypeOf(dto) as Dto | null;
  if (above === null) return { names: [], isOpen: false };
  const inherited = undeclaredOf(above);
  return { names: [...inherited.names, ...(own?.names ?? [])], isOpen: inherited.isOpen || own?.isOpen === true };
}

/** The fields that a class and its nested classes declare; `within` gives the known fields of some of their values. */
export function declaredFields(dto: Dto, within: Readonly<Record<string, KnownFields>> = {}): KnownFields {
  const { names, isOpen } = undeclaredOf(dto);
  const declared = shapeOf(dto).map(({ name, nested }) => [name, within[name] ?? (nested ? declaredFields(nested) : null)] as const);
  const others = names.filter((name) => !declared.some(([one]) => one === name)).map((name) => [name, null] as const);
  return { fields: new Map<string, KnownFields | null>([...declared, ...others]), isOpen };
}

/** The fields of an object without a class; `names` is separated by spaces. */
export function namedFields(names: string, within: Readonly<Record<string, KnownFields>> = {}): KnownFields {
  return { fields: new Map(names.split(' ').map((name) => [name, within[name] ?? null])) };
}

/** An object with any field names, whose values all have the known fields `each`. */
export function fieldsOfEach(each: KnownFields): KnownFields {
  return { fields: new Map(), each };
}

/** The paths of unknown fields in `value`, whatever their values, ten at most. `path` names the value itself. */
export function unknownFields(known: KnownFields, value: unknown, path = ''): string[] {
  return findUnknown(known, value, path).map((found) => found.path);
}

/**
 * Refuses unknown fields in `value`: a misspelled one would have no effect.
 * @throws ServiceError `invalid_request` naming the first of them, each with the nearest known field.
 */
export function assertKnownFields(known: KnownFields, value: unknown, path = ''): void {
  const found = findUnknown(known, value, path);
  if (found.length > 0) throw invalid(found.slice(0, REFUSED_MAX).map(unknownFieldSentence).join('; '));
}

/** The sentence that the field `name` at `path` is unknown. */
export function unknownFieldSentence({ path, name, possible }: UnknownField): string {
  const nearest = nearestName(name, possible);
  if (nearest !== undefined && areSimilar(name, nearest)) return `${path} is not a known field: the nearest is ${nearest}`;
  return `${path} is not a known field: ${possible.length > 0 ? `known are ${possible.join(', ')}` : 'none is known here'}`;
}

interface UnknownField {
  readonly path: string;
  readonly name: string;
  /** The fields that it could be instead. */
  readonly possible: readonly string[];
}

function findUnknown(known: KnownFields, value: unknown, path: string, found: UnknownField[] = []): UnknownField[] {
  if (Array.isArray(value)) value.forEach((item, index) => findUnknown(known, item, `${path}[${index}]`, found));
  if (!isJsonObject(value)) return found;
  const resolved = known.dependingOn?.(value) ?? known;
  for (const [name, one] of Object.entries(value)) {
    if (found.length >= UNKNOWN_MAX) break;
    const inside = resolved.each ?? resolved.fields.get(name);
    if (inside) findUnknown(inside, one, keyPath(path, name), found);
    else if (inside === undefined && !resolved.isOpen)
      found.push({ path: keyPath(path, name), name, possible: [...resolved.fields.keys()] });
  }
  return found;
}
