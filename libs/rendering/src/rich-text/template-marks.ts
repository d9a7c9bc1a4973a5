// Noncharacters: no text may hold them, and parsers of Markdown, HTML and MJML see in them ordinary letters.
const OPEN = '\ufdd0';
const CLOSE = '\ufdd1';
const MARK = /\ufdd0([vb])(\d{1,6})\ufdd1/g;
const NONCHARACTERS = /[\ufdd0-\ufdef]/g;

/** `{name}`: what begins like a path and holds nothing but a path's characters; brackets may hold a quoted key. */
const SINGLE = /\{[$_\p{L}\p{N}](?:[$_\p{L}\p{N}.*-]|\[[^\]{}\n<>&]{0,100}\]){0,500}\}/uy;
const MUSTACHE_CHARS_MAX = 10_000;
/** Tags that decide or repeat, and print nothing themselves. */
const BLOCK = /^\{\{\{?\{?~?\s*(?:[#/^!]|else\b)/;

/** A mark alone, as `marked` writes it. */
export const ANY_MARK_SOURCE = '\\ufdd0[vb]\\d{1,6}\\ufdd1';
/** A line of nothing but marks of blocks, `{{#if x}}`, `{{/if}}`. */
export const BLOCK_LINE = /^(?:\ufdd0b\d{1,6}\ufdd1[ \t]*)+$/;

const BRACE = '\ufdd8';
/** What `literalBraces` are written as. */
export const LITERAL_BRACE = '&#123;';

/** The text with braces that mean themselves: they are written as entities when the marks are restored. */
export function literalBraces(text: string): string {
  return text.includes('{') ? text.replaceAll('{', BRACE) : text;
}

/** Takes noncharacters out of a text that is not ours: none may pretend to be a mark. */
function withoutNoncharacters(text: string): string {
  return text.replace(NONCHARACTERS, '\ufffd');
}

/**
 * Stands in for the template parts of one text (`{name}`, `{{…}}`) while another language, Markdown or MJML, is parsed around
 * them: neither is read as the other, and what a variable holds later is never read as either.
 */
export class TemplateMarks {
  private readonly sources: string[] = [];
  private readonly indexes = new Map<string, number>();

  /** The text with a mark in the place of each template part; one behind a backslash is text. */
  mark(text: string): string {
    return replaceParts(withoutNoncharacters(text), (part) => this.markOf(part));
  }

  get count(): number {
    return this.sources.length;
  }

  has(text: string): boolean {
    return text.includes(OPEN);
  }

  /** The text with its template parts in the place of their marks. `toSource` may change how a part stands where it is. */
  restore(text: string, toSource: (source: string) => string = (source) => source): string {
    return text
      .replace(MARK, (mark, _kind, index: string) => {
        const source = this.sources[Number(index)];
        return source === undefined ? mark : toSource(source);
      })
      .replaceAll(BRACE, LITERAL_BRACE);
  }

  /** The same part has the same mark everywhere. */
  private markOf(source: string): string {
    let index = this.indexes.get(source);
    if (index === undefined) {
      index = this.sources.push(source) - 1;
      this.indexes.set(source, index);
    }
    return `${OPEN}${BLOCK.test(source) ? 'b' : 'v'}${index}${CLOSE}`;
  }
}

/** The text with letters in the place of its template parts: as long as it was, and with the same lines. */
export function maskedParts(text: string): string {
  return replaceParts(text, (part) => part.replace(/[^\n]/g, 'x'));
}

function replaceParts(text: string, replacementOf: (part: string) => string): string {
  let replaced = '';
  let literalStart = 0;
  let open = text.indexOf('{');
  while (open >= 0) {
    const isEscaped = text[open - 1] === '\\';
    const end = isEscaped ? undefined : endOfPart(text, open);
    if (end === undefined) {
      open = text.indexOf('{', open + (isEscaped && text[open + 1] === '{' ? 2 : 1));
      continue;
    }
    replaced += text.slice(literalStart, open) + replacementOf(text.slice(open, end));
    literalStart = end;
    open = text.indexOf('{', end);
  }
  return replaced + text.slice(literalStart);
}

function endOfPart(text: string, open: number): number | undefined {
  if (text[open + 1] === '{') return endOfMustache(text, open);
  SINGLE.lastIndex = open;
  return SINGLE.test(text) ? SINGLE.lastIndex : undefined;
}

/** Behind the braces that close `{{`; those within a quoted argument do not. */
function endOfMustache(text: string, open: number): number | undefined {
  const limit = Math.min(text.length, open + MUSTACHE_CHARS_MAX);
  if (text.startsWith('{{!--', open)) {
    const end = text.slice(open, limit + 4).indexOf('--}}');
    return end < 0 ? undefined : open + end + 4;
  }
  const closer = text.startsWith('{{{', open) ? '}}}' : '}}';
  let quote = '';
  for (let i = open + closer.length; i < limit; i += 1) {
    const character = text[i] as string;
    if (quote) quote = character === quote ? '' : quote;
    else if ((character === '"' || character === "'") && text[open + 2] !== '!') quote = character;
    else if (text.startsWith(closer, i)) return i + closer.length;
    else if (character === '{' && i > open + closer.length) return undefined;
  }
  return undefined;
}
