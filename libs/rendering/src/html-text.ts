const HIDDEN_ELEMENTS = new Set(['script', 'style', 'head', 'title', 'template']);
const LINE_ELEMENTS = new Set(['br', 'p', 'div', 'tr', 'li', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'ul', 'ol', 'blockquote', 'hr']);
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** What a reader sees of an HTML fragment, roughly: tags go, line-making elements leave a line end. One pass over the text. */
export function htmlToText(html: string): string {
  let text = '';
  let hiddenBy = '';
  let position = 0;
  while (position < html.length) {
    const open = html.indexOf('<', position);
    if (!hiddenBy) text += html.slice(position, open < 0 ? undefined : open);
    if (open < 0) break;
    const closer = html.startsWith('<!--', open) ? '-->' : '>';
    const end = html.indexOf(closer, open);
    if (end < 0) break;
    const [, closing, name = ''] = /^<(\/?)([a-z][a-z0-9]{0,20})/i.exec(html.slice(open, open + 24)) ?? [];
    const element = name.toLowerCase();
    if (hiddenBy) hiddenBy = closing && element === hiddenBy ? '' : hiddenBy;
    else if (!closing && HIDDEN_ELEMENTS.has(element)) hiddenBy = element;
    else if (LINE_ELEMENTS.has(element)) text += '\n';
    position = end + closer.length;
  }
  return decodeEntities(text).replace(/\n{3,}/g, '\n\n');
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|([a-z]{2,5}));/g, (entity, code: string | undefined, name: string | undefined) => {
    if (name !== undefined) return ENTITIES[name] ?? entity;
    const point = Number(code);
    return point > 31 && point <= 0x10ffff ? String.fromCodePoint(point) : ' ';
  });
}
