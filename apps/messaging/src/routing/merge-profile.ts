type Fields = Record<string, unknown>;

/**
 * The profile of one send: fields of the request over the stored ones. Plain objects are merged, everything else is
 * replaced, an explicit `null` removes. Neither argument is changed.
 */
export function mergeProfile(stored: Fields, received: Fields): Fields {
  const merged: Fields = { ...stored };
  for (const [key, value] of Object.entries(received)) {
    const before = merged[key];
    if (value === null) delete merged[key];
    else set(merged, key, isPlainObject(value) ? mergeProfile(isPlainObject(before) ? before : {}, value) : value);
  }
  return merged;
}

/** Defines the key itself, whatever it is called. */
function set(target: Fields, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, configurable: true, enumerable: true, writable: true });
}

function isPlainObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
