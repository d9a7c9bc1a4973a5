/** Text that PostgreSQL can store: NUL and lone surrogates become the replacement character. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
