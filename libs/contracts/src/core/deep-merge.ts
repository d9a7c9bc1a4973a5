/** A JSON object with free keys. */
export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface MergeOptions {
  /** `null` takes its key away instead of taking its place. */
  nullRemoves?: boolean;
}

/**
 * `base` with `change` written over it: where both have an object the two are merged, everything else (arrays, scalars,
 * `null`) takes the place of what was there. Neither argument is changed. Every key is an own property of the result,
 * whatever it is called. Merging the same change again changes nothing.
 */
export function deepMerge(base: JsonObject, change: JsonObject, options: MergeOptions = {}): JsonObject {
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(change)) {
    if (value === null && options.nullRemoves) merged.delete(key);
    else merged.set(key, isJsonObject(value) ? mergeObject(merged.get(key), value, options) : value);
  }
  return Object.fromEntries(merged);
}

function mergeObject(present: unknown, change: JsonObject, options: MergeOptions): JsonObject {
  if (isJsonObject(present)) return deepMerge(present, change, options);
  return options.nullRemoves ? deepMerge({}, change, options) : change;
}
