/** The bytes of the values as JSON, those of absent ones not counted: what they take in a response. */
export function jsonBytes(values: readonly unknown[]) {
  return values.reduce<number>((sum, value) => sum + (value ? Buffer.byteLength(JSON.stringify(value)) : 0), 0);
}
