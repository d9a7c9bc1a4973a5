import { isJsonObject, type JsonObject } from './deep-merge';
import type { Dto } from './operation';
import { shapeOf } from './shape';
import { keyPath } from './text';

/** Unknown fields that are named of one object. */
const UNKNOWN_MAX = 10;

/**
 * What is known of an object, or of each object of an array: its fields, each with what is known of its value (`null`: it is
 * free). A field beside them has no meaning, unless the object `isOpen`.
 */
export interface KnownFields {
  readonly fields: ReadonlyMap<string, KnownFields | null>;
  readonly isOpen?: boolean;
  /** Every field, whatever its name, has a value of which this is known. */
  readonly each?: KnownFields;
  /** Instead of all this, where what an object holds decides: what is known of that object. */
  readonly dependingOn?: (object: JsonObject) => KnownFields;
}

/** The fields that a class declares, and those of the classes nested in it; `within` says more of some of their values. */
export function declaredFields(dto: Dto, within: Readonly<Record<string, KnownFields>> = {}): KnownFields {
  return {
    fields: new Map(shapeOf(dto).fields.map(({ name, nested }) => [name, within[name] ?? (nested ? declaredFields(nested) : null)])),
  };
}

/** The fields of an object that no class describes, their names separated by spaces. */
export function namedFields(names: string, within: Readonly<Record<string, KnownFields>> = {}): KnownFields {
  return { fields: new Map(names.split(' ').map((name) => [name, within[name] ?? null])) };
}

/** An object with names of its sender's choice, whose values are alike. */
export function fieldsOfEach(each: KnownFields): KnownFields {
  return { fields: new Map(), each };
}

/** The paths of fields in `value` that are not known, whatever they hold, ten at most. `path` names the value itself. */
export function unknownFields(known: KnownFields, value: unknown, path = ''): string[] {
  const found: string[] = [];
  collectUnknown(known, value, path, found);
  return found;
}

function collectUnknown(anyKnown: KnownFields, value: unknown, path: string, found: string[]): void {
  if (Array.isArray(value)) value.forEach((item, index) => collectUnknown(anyKnown, item, `${path}[${index}]`, found));
  if (!isJsonObject(value)) return;
  const known = anyKnown.dependingOn?.(value) ?? anyKnown;
  for (const [name, one] of Object.entries(value)) {
    if (found.length >= UNKNOWN_MAX) return;
    const inside = known.each ?? known.fields.get(name);
    if (inside) collectUnknown(inside, one, keyPath(path, name), found);
    else if (inside === undefined && !known.isOpen) found.push(keyPath(path, name));
  }
}
