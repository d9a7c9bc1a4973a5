// Noncharacters: not allowed in texts, and ordinary letters to the parsers of Markdown, HTML and MJML.
const OPEN = '\ufdd0';
const CLOSE = '\ufdd1';
const MARK = /\ufdd0[vb](\d{1,6})\ufdd1/g;
const WIDE = /[\u0100-\uffff]/;
const NONCHARACTERS = /[\ufdd0-\ufdef]/g;

/** `{name}`: starts like a path and contains only path characters; brackets may contain a quoted key. */
const SINGLE = /\{[$_\p{L}\p{N}](?:[$_\p{L}\p{N}.*-]|\[[^\]{}\n<>&]{0,100}\]){0,500}\}/uy;
const MUSTACHE_CHARS_MAX = 10_000;
/** Block tags, which print nothing themselves. */
const BLOCK = /^\{\{\{?\{?~?\s*(?:[#/^!]|else\b)/;

/** Source of a pattern for one mark. */
export const ANY_MARK_SOURCE = '\\ufdd0[vb]\\d{1,6}\\ufdd1';
/** A line of nothing but marks of blocks, `{{#if x}}`, `{{/if}}`. */
export const BLOCK_LINE = /^(?:\ufdd0b\d{1,6}\ufdd1[ \t]*)+$/;

const BRACE = '\ufdd8';
/** Entity of a literal brace. */
export const LITERAL_BRACE = '&#123;';

/** Marks braces as literal: `restore` writes them as entities. */
export function literalBraces(text: string): string {
  return text.includes('{') ? text.replaceAll('{', BRACE) : text;
}

/**
 * Replaces the template parts of one text (`{name}`, `{{…}}`) by marks while Markdown or MJML is parsed around them: neither is
 * parsed as the other, and later values are parsed as neither.
 */
export class TemplateMarks {
  private readonly sources: string[] = [];
  private readonly indexes = new Map<string, number>();

  /** The text with a mark instead of each template part; after a backslash it is literal text. Equal parts share one mark. */
  mark(text: string): string {
    // An author's noncharacters must not forge marks.
    return replaceParts(text.replace(NONCHARACTERS, '\ufffd'), (source) => {
      let index = this.indexes.get(source);
      if (index === undefined) this.indexes.set(source, (index = this.sources.push(source) - 1));
      return `${OPEN}${BLOCK.test(source) ? 'b' : 'v'}${index}${CLOSE}`;
    });
  }

  /** The text with its template parts restored. */
  restore(text: string): string {
    return narrow(text.replace(MARK, (mark, index: string) => this.sources[Number(index)] ?? mark).replaceAll(BRACE, LITERAL_BRACE));
  }
}

/**
 * The same text, with one byte a character where that is enough. Parts of a text that had a mark would keep two in V8, and so would every
 * mail that is made of them.
 */
function narrow(text: string) {
  return WIDE.test(text) ? text : Buffer.from(text, 'latin1').toString('latin1');
}

/** The text with its template parts masked by letters: same length, same lines. */
export function maskedParts(text: string): string {
  return replaceParts(text, (part) => part.replace(/[^\n]/g, 'x'));
}

function replaceParts(text: string, replacementOf: (part: string) => string) {
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

function endOfPart(text: string, open: number) {
  if (text[open + 1] === '{') return endOfMustache(text, open);
  SINGLE.lastIndex = open;
  return SINGLE.test(text) ? SINGLE.lastIndex : undefined;
}

/** Offset after the closing braces of `{{`; braces within a quoted argument do not close it. */
function endOfMustache(text: string, open: number) {
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
