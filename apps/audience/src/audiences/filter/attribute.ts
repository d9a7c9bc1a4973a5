import { isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { type Decimal, decimalKey, parseDecimal } from './decimal';
import { parseInstant } from './iso-instant';

/** The index of an array's element in a path. */
export const ARRAY_INDEX = /^(?:0|[1-9]\d{0,8})$/;

/**
 * The value at `path` of a profile: own members of objects, elements of arrays by index (`addresses.0.city`).
 * Undefined where there is none, and for `null`, which counts as absent.
 */
export function attributeAt(profile: JsonObject, path: readonly string[]): unknown {
  let value: unknown = profile;
  for (const name of path) {
    if (Array.isArray(value)) value = ARRAY_INDEX.test(name) ? (value as unknown[])[Number(name)] : undefined;
    else if (isJsonObject(value) && Object.hasOwn(value, name)) value = value[name];
    else return undefined;
  }
  return value ?? undefined;
}

/** A string, number or boolean as text, numbers as JavaScript writes them (`5`, `0.1`, `1e+21`); else undefined. */
function textOf(value: unknown) {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** The value at a path of one person, with its conversions, each computed once for all conditions. */
export class Attribute {
  /** As text; undefined for what is absent, for arrays and for objects. */
  readonly text: string | undefined;
  private parsed?: { decimal: Decimal | undefined };
  private date?: { instant: number | undefined };
  private found?: ReturnType<typeof elementsOf>;

  /** @param value as `attributeAt` finds it. */
  constructor(readonly value: unknown) {
    this.text = textOf(value);
  }

  /** The number that its text is. */
  get decimal() {
    this.parsed ??= { decimal: this.text === undefined ? undefined : parseDecimal(this.text) };
    return this.parsed.decimal;
  }

  /** In ms since 1970, where its text is a date. */
  get instant() {
    this.date ??= { instant: typeof this.value === 'string' ? parseInstant(this.value) : undefined };
    return this.date.instant;
  }

  /** Its elements, where it is an array. */
  get elements() {
    return (this.found ??= elementsOf(Array.isArray(this.value) ? (this.value as unknown[]) : []));
  }
}

/** The scalars of an array. */
function elementsOf(values: readonly unknown[]) {
  return {
    /** Texts and booleans. */
    texts: new Set(values.flatMap((value) => (typeof value === 'number' ? [] : (textOf(value) ?? [])))),
    numbers: new Set(values.filter((value) => typeof value === 'number')),
    /** Keys of the texts that are numbers. */
    keys: new Set(values.flatMap((value) => (typeof value === 'string' ? (decimalKey(value) ?? []) : []))),
  };
}
