/** Breaks a text between lines or words into pieces of at most `charsMax` characters; `rest` is what exceeds `piecesMax` pieces. */
export function splitText(text: string, charsMax: number, piecesMax = Infinity): { pieces: string[]; rest: string } {
  const pieces: string[] = [];
  let rest = text;
  while (rest && pieces.length < piecesMax) {
    const end = rest.length <= charsMax ? rest.length : breakBefore(rest, charsMax);
    pieces.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  return { pieces, rest };
}

/** Offset to break a text at, at most `max`: after a line, after a word, or within one. */
function breakBefore(text: string, max: number) {
  for (const separator of ['\n\n', '\n', ' ']) {
    const at = text.lastIndexOf(separator, max - separator.length);
    if (at > max / 2) return at + separator.length;
  }
  // Never within a surrogate pair.
  return /[\ud800-\udbff]/.test(text[max - 1] ?? '') ? max - 1 : max;
}
