/** Bytes of a value as JSON; 0 for what JSON leaves out. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/**
 * An object of which as few fields as possible, the largest first, are replaced by `{ "$ref": "<place>/<field>" }` so that the
 * whole has at most `bytesMax` bytes as JSON. Fields in `kept` stay; they must be small.
 * @param place path of the HTTP interface where the object stands, with a JSON pointer to it: `/messages/<id>/history#/results/3`.
 */
export function withReferences<Fields extends object>(
  fields: Fields,
  place: string,
  bytesMax: number,
  kept: readonly (keyof Fields)[],
): Fields {
  let bytes = jsonBytes(fields);
  if (bytes <= bytesMax) return fields;
  const replaced: Record<string, unknown> = Object.fromEntries(Object.entries(fields));
  const largestFirst = Object.entries(fields)
    .filter(([name]) => !kept.includes(name as keyof Fields))
    .map(([name, value]) => ({ name, bytes: jsonBytes(value) }))
    .sort((one, other) => other.bytes - one.bytes);
  for (const field of largestFirst) {
    if (bytes <= bytesMax) break;
    const reference = { $ref: `${place}/${field.name}` };
    replaced[field.name] = reference;
    bytes += jsonBytes(reference) - field.bytes;
  }
  return replaced as Fields;
}
