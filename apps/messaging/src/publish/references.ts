/** Bytes of a value as JSON; 0 for a value that JSON omits. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/**
 * Replaces as few fields as possible, the largest first, by `{ "$ref": "<path>/<field>" }`, so that the object has at most
 * `bytesMax` bytes as JSON. Fields in `required` are never replaced; they must be small.
 * @param path HTTP path of the object, with a JSON pointer to it: `/messages/<id>/history#/results/3`.
 */
export function withReferences<Fields extends object>(
  fields: Fields,
  path: string,
  bytesMax: number,
  required: readonly (keyof Fields)[],
): Fields {
  let bytes = jsonBytes(fields);
  if (bytes <= bytesMax) return fields;
  const replaced: Record<string, unknown> = Object.fromEntries(Object.entries(fields));
  const largestFirst = Object.entries(fields)
    .filter(([name]) => !required.includes(name as keyof Fields))
    .map(([name, value]) => ({ name, bytes: jsonBytes(value) }))
    .sort((one, other) => other.bytes - one.bytes);
  for (const field of largestFirst) {
    if (bytes <= bytesMax) break;
    const reference = { $ref: `${path}/${field.name}` };
    replaced[field.name] = reference;
    bytes += jsonBytes(reference) - field.bytes;
  }
  return replaced as Fields;
}
