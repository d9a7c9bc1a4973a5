import { isJsonObject, type JsonObject } from './deep-merge';
import type { Dto } from './operation';
import { shapeOf } from './shape';
import { keyPath } from './text';

/** How many unknown fields of one value are named. */
const UNKNOWN_MAX = 10;

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

/** The fields that a class and its nested classes declare; `within` gives the known fields of some of their values. */
export function declaredFields(dto: Dto, within: Readonly<Record<string, KnownFields>> = {}): KnownFields {
  return {
    fields: new Map(shapeOf(dto).map(({ name, nested }) => [name, within[name] ?? (nested ? declaredFields(nested) : null)])),
  };
}

/** The fields of an object without a class; `names` is separated by spaces. */
export function namedFields(names: string, within: Readonly<Record<string, KnownFields>> = {}): KnownFields {
  return { fields: new Map(names.split(' ').map((name) => [name, within[name] ?? null])) };
}

/** An object with any field names, whose values all have the known fields `each`. */
export function fieldsOfEach(each: KnownFields): KnownFields {
  return { fields: new Map(), each };
}

/** The paths of unknown fields in `value`, whatever their values, ten at most: added to `found`. `path` names the value itself. */
export function unknownFields(known: KnownFields, value: unknown, path = '', found: string[] = []): string[] {
  if (Array.isArray(value)) value.forEach((item, index) => unknownFields(known, item, `${path}[${index}]`, found));
  if (!isJsonObject(value)) return found;
  const resolved = known.dependingOn?.(value) ?? known;
  for (const [name, one] of Object.entries(value)) {
    if (found.length >= UNKNOWN_MAX) break;
    const inside = resolved.each ?? resolved.fields.get(name);
    if (inside) unknownFields(inside, one, keyPath(path, name), found);
    else if (inside === undefined && !resolved.isOpen) found.push(keyPath(path, name));
  }
  return found;
}
