/** How a value is escaped. `attribute` is for raw HTML, where even a space may end an attribute. */
export type Escaping = 'none' | 'html' | 'attribute';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** The text, escaped for where it is written. */
export function escape(text: string, escaping: Escaping): string {
  switch (escaping) {
    case 'none':
      return text;
    case 'html':
      return escapeHtml(text);
    case 'attribute':
      return escapeHtml(text).replace(/[\s`=/]/g, (character) => `&#${character.charCodeAt(0)};`);
  }
}

/** The text as HTML shows it, in an element or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string) : text;
}
