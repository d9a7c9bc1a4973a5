/** A JSON object with free keys. */
export type JsonObject = Record<string, unknown>;

/** Whether the value is an object; arrays and `null` are none. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface MergeOptions {
  /** `null` removes the key instead of replacing its value. */
  nullRemoves?: boolean;
}

/**
 * `base` merged with `change`: two objects are merged recursively, every other value of `change` (arrays, scalars, `null`)
 * replaces the one of `base`. Neither argument is changed. Every key, also `__proto__`, is an own property of the result.
 * Idempotent.
 */
export function deepMerge(base: JsonObject, change: JsonObject, options: MergeOptions = {}): JsonObject {
  const changes = Object.entries(change);
  if (changes.length === 0) return { ...base };
  const merged = new Map(Object.entries(base));
  for (const [key, value] of changes) {
    if (value === null && options.nullRemoves) merged.delete(key);
    else merged.set(key, isJsonObject(value) ? mergeObject(merged.get(key), value, options) : value);
  }
  return Object.fromEntries(merged);
}

function mergeObject(present: unknown, change: JsonObject, options: MergeOptions) {
  if (isJsonObject(present)) return deepMerge(present, change, options);
  return options.nullRemoves ? deepMerge({}, change, options) : change;
}
