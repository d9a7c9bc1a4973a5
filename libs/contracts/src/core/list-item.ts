const COLUMNS_MAX = 120;
/** A space at which no line ends. */
export const NO_BREAK = '\u00a0';

/** A list item of a page in Markdown, wrapped at 120 columns; text in backquotes stays on one line. */
export function listItem(text: string): string {
  const lines = ['-'];
  for (const word of text.match(/`[^`]*`[^ ]*|[^ ]+/g) ?? []) {
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length <= COLUMNS_MAX || lines.at(-1) === '-') lines[lines.length - 1] = longer;
    else lines.push(`  ${word}`);
  }
  return lines.join('\n').replaceAll(NO_BREAK, ' ');
}
