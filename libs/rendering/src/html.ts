const NAMED: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  colon: ':',
  tab: '\t',
  newline: '\n',
};
/** Numbers need no semicolon, and may have any number of zeros before them. */
const ENTITY = /&(?:#0*(\d{1,7});?|#x0*([0-9a-f]{1,6});?|([a-z]{2,7});)/gi;

/** What `escapeHtml`, Handlebars or Markdown escaped, as it was, and whatever could hide the scheme of an address; other entities stay. */
export function decodeEntities(html: string): string {
  if (!html.includes('&')) return html;
  return html.replace(ENTITY, (entity, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? entity;
    const point = decimal === undefined ? parseInt(hexadecimal as string, 16) : Number(decimal);
    const isCharacter = point > 31 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff);
    return isCharacter || point === 10 ? String.fromCodePoint(point) : ' ';
  });
}

/** The value of an attribute in the inside of a tag; undefined where it has none. `name` is one of our own literals. */
export function attributeOf(tag: string, name: string): string | undefined {
  const found = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(tag);
  return found ? decodeEntities(found[1] ?? found[2] ?? found[3] ?? '') : undefined;
}
