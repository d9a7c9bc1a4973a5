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
  /** Fields that clients send too, with any value: known, but no error suggests them. */
  readonly withoutEffect?: ReadonlySet<string>;
  readonly isOpen?: boolean;
  /** The known fields of every value, whatever its name. */
  readonly each?: KnownFields;
  /** Replaces all of these where the fields depend on the object: returns the known fields of that object. */
  readonly dependingOn?: (object: JsonObject) => KnownFields;
}

/** Names of the fields without effect, by class: those that a client sends although the class does not declare them. */
const withoutEffect = new Map<object, (() => readonly string[])[]>();
const open = new Set<object>();

function addWithoutEffect(names: () => readonly string[]): ClassDecorator {
  return (dto) => void withoutEffect.set(dto, [...(withoutEffect.get(dto) ?? []), names]);
}

/** Class decorator: clients send these fields too, which have no effect. `names` is separated by spaces. */
export function FieldsWithoutEffect(names: string): ClassDecorator {
  return addWithoutEffect(() => names.split(' '));
}

/** Class decorator: the class writes what `answer` reads. The other fields of the answer may be put back, and have no effect. */
export function FieldsOfAnswer(answer: () => Dto): ClassDecorator {
  return addWithoutEffect(() => fieldNames(answer()));
}

/** Class decorator: other fields than the declared ones are allowed. */
export const AnyField: ClassDecorator = (dto) => void open.add(dto);

/** The names of the fields that a class declares. */
export function fieldNames(dto: Dto): string[] {
  return shapeOf(dto).map(({ name }) => name);
}

/** What a class and those above it allow beside the declared fields. */
function undeclaredOf(dto: Dto): Required<Pick<KnownFields, 'withoutEffect' | 'isOpen'>> {
  const above = Object.getPrototypeOf(dto) as Dto | null;
  if (above === null) return { withoutEffect: new Set(), isOpen: false };
  const inherited = undeclaredOf(above);
  const own = (withoutEffect.get(dto) ?? []).flatMap((names) => names());
  return { withoutEffect: new Set([...inherited.withoutEffect, ...own]), isOpen: inherited.isOpen || open.has(dto) };
}

/** The fields that a class and its nested classes declare; `within` gives the known fields of some of their values. */
export function declaredFields(dto: Dto, within: Readonly<Record<string, KnownFields>> = {}): KnownFields {
  const declared = shapeOf(dto).map(({ name, nested }) => [name, within[name] ?? (nested ? declaredFields(nested) : null)] as const);
  return { fields: new Map<string, KnownFields | null>(declared), ...undeclaredOf(dto) };
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
  if (found.length > 0) throw invalid(unknownFieldSentences(found.slice(0, REFUSED_MAX)).join('; '));
}

/** The sentences that the fields are unknown: one for each. The known fields of one object are listed once, after the first of its own. */
export function unknownFieldSentences(unknown: readonly UnknownField[]): string[] {
  const hints = unknown.map(({ name, possible }) => {
    const nearest = nearestName(name, possible);
    if (nearest !== undefined && areSimilar(name, nearest)) return { nearest };
    return { list: possible.length > 0 ? `known are ${possible.join(', ')}` : 'none is known here' };
  });
  return unknown.map(({ path }, index) => {
    const { nearest, list } = hints[index]!;
    if (nearest !== undefined) return `${path} is not a known field: the nearest is ${nearest}`;
    const isRepeated = hints.slice(0, index).some((hint) => hint.list === list);
    return `${path} is not a known field${isRepeated ? '' : `: ${list}`}`;
  });
}

export interface UnknownField {
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
    else if (inside === undefined && !resolved.isOpen && !resolved.withoutEffect?.has(name))
      found.push({ path: keyPath(path, name), name, possible: [...resolved.fields.keys()] });
  }
  return found;
}
