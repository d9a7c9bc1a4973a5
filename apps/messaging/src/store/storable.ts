/** Text that PostgreSQL can hold: what it cannot (NUL, half a character) is shown as the replacement character. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
