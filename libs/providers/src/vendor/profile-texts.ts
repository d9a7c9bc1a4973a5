/** A field of a profile that is a text with content; undefined for any other value. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
