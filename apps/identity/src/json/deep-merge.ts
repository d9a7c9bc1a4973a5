/** A JSON object with free keys. */
export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * `base` with `change` written over it: where both have an object the two are merged, everything else (arrays, scalars,
 * `null`) takes the place of what was there. `null` is a value like any other and stays. Neither argument is changed.
 * Every key is an own property of the result, whatever it is called. Merging the same change again changes nothing.
 */
export function deepMerge(base: JsonObject, change: JsonObject): JsonObject {
  const changed = Object.entries(change).map(([key, value]) => {
    const present = Object.hasOwn(base, key) ? base[key] : undefined;
    return [key, isJsonObject(present) && isJsonObject(value) ? deepMerge(present, value) : value] as const;
  });
  return { ...base, ...(Object.fromEntries(changed) as JsonObject) };
}
