import { BlockWriter } from './block-writer';
import { OpenElements } from './open-elements';
import { type Attributes, type HtmlVisitor, readHtml } from './read-html';
import type { TextFormat } from './text-format';
import type { LinkUrl } from '../urls';

/** Elements that are not shown. `head` is not listed, since its end tag may be missing. */
const HIDDEN_ELEMENTS = new Set(['script', 'style', 'title', 'template']);
/** Nesting depth of tracked tags; deeper ones only add their text. */
const OPEN_TAGS_MAX = 200;
/** Characters that clients take as part of an address. Western punctuation is excluded, since clients end an address before it. */
const MAY_GO_ON_IN_ADDRESS = /^[\p{L}\p{M}\p{N}\u3000-\u303f\uff00-\uffef_/&=%#@~+$-]/u;

interface OpenTag {
  readonly name: string;
  /** The line before the tag; its content is written separately, so that nested tags do not copy the line. */
  readonly before: string;
  readonly href?: string;
}

/** Elements that begin and end on a line of their own. */
const LINES = new Set(['div', 'dt', 'dd', 'caption']);
const HEADING = /^h[1-6]$/;
const MARKS = new Map<string, 'bold' | 'italic' | 'strike' | 'code'>([
  ['strong', 'bold'],
  ['b', 'bold'],
  ['em', 'italic'],
  ['i', 'italic'],
  ['s', 'strike'],
  ['del', 'strike'],
  ['strike', 'strike'],
  ['code', 'code'],
]);

/** Converts an HTML fragment to a channel's text format. Accepts any text, in one pass. */
export function htmlToFormat(html: string, format: TextFormat, linkUrl: LinkUrl): string {
  const writer = new HtmlWriter(format, linkUrl);
  readHtml(html, writer);
  return writer.written();
}

class HtmlWriter implements HtmlVisitor {
  private readonly writer = new BlockWriter();
  /** Next number of each enclosing ordered list; 0 for unordered ones. */
  private readonly lists: number[] = [];
  private readonly openElements = new OpenElements();
  private readonly openTags: OpenTag[] = [];
  private line = '';
  /** The line ends in a space or is empty. */
  private endsInSpace = true;
  private cells: string[] | undefined;
  private preformatted = 0;
  /** The open element whose content is not shown. */
  private hiddenBy = '';
  /** Whether the line ends in an address without a closing mark. */
  private endsInAddress = false;

  constructor(
    private readonly format: TextFormat,
    private readonly linkUrl: LinkUrl,
  ) {}

  text(text: string): void {
    if (this.hiddenBy) return;
    if (this.preformatted > 0) return void (this.line += this.format.escapeCode(text));
    const collapsed = text.replace(/[ \t\r\n\f]+/g, ' ');
    const shown = this.endsInSpace ? collapsed.trimStart() : collapsed;
    if (shown === '') return;
    this.separateAddress(shown);
    this.endsInSpace = shown.endsWith(' ');
    this.line += this.openTags.some(({ name }) => name === 'code') ? this.format.escapeCode(shown) : this.format.escape(shown);
  }

  open(name: string, attributes: Attributes): void {
    if (this.hiddenBy) return;
    if (HIDDEN_ELEMENTS.has(name)) return void (this.hiddenBy = name);
    const { ended, opened } = this.openElements.open(name);
    for (const inner of ended) this.end(inner);
    if (opened.length === 0) this.flush(true);
    for (const element of opened) this.begin(element, attributes);
  }

  close(name: string): void {
    if (this.hiddenBy) {
      if (name === this.hiddenBy) this.hiddenBy = '';
      return;
    }
    const ended = this.openElements.close(name);
    if (ended.length === 0) this.flush(true);
    for (const element of ended) this.end(element);
  }

  private begin(name: string, { href = '', src = '', alt = '', start }: Attributes) {
    if (LINES.has(name)) return this.flush(true);
    if (name === 'p' || HEADING.test(name)) return this.flush();
    switch (name) {
      case 'br':
        this.line += '\n';
        this.endsInSpace = true;
        this.endsInAddress = false;
        return;
      case 'hr':
        this.flush();
        return this.writer.add(this.format.rule);
      case 'img':
        this.separateAddress(alt);
        this.line += this.format.image(this.format.escape(alt), this.linkUrl(src, 'image'));
        this.endsInSpace = false;
        return;
      case 'ul':
      case 'ol':
        this.flush(this.lists.length > 0);
        this.lists.push(name === 'ol' ? Number(start ?? 1) || 1 : 0);
        return this.writer.enter('', '');
      case 'li':
        this.flush(true);
        return this.enterItem();
      case 'blockquote':
        this.flush();
        return this.writer.enter(this.format.quote, this.format.quote);
      case 'dl':
      case 'table':
        // A table within a cell means that the outer table is layout only.
        if (name === 'table' && this.cells) this.endRow();
        this.flush();
        return this.writer.enter('', '');
      case 'tr':
        this.flush(true);
        this.cells = [];
        return;
      case 'td':
      case 'th':
        return this.flush(true);
      case 'pre':
        this.flush();
        this.preformatted += 1;
        return;
    }
    if (this.openTags.length >= OPEN_TAGS_MAX) return;
    this.openTags.push({ name, before: this.line, ...(name === 'a' && { href }) });
    this.line = '';
  }

  private end(name: string) {
    if (LINES.has(name)) return this.flush(true);
    if (HEADING.test(name)) {
      this.closeTagsAbove(0);
      this.line = this.format.heading(this.line.trim(), Number(name[1]));
      return this.flush();
    }
    switch (name) {
      case 'p':
        return this.flush();
      case 'ul':
      case 'ol':
      case 'li':
        this.flush(true);
        if (name !== 'li') this.lists.pop();
        return this.writer.leave();
      case 'blockquote':
      case 'dl':
      case 'table':
        this.flush();
        return this.writer.leave();
      case 'td':
      case 'th':
        if (!this.cells) return this.flush(true);
        this.closeTagsAbove(0);
        this.cells.push(this.line.trim());
        this.line = '';
        this.endsInSpace = true;
        return;
      case 'tr':
        return this.endRow();
      case 'pre':
        return this.closePreformatted();
    }
    this.closeInline(name);
  }

  written(): string {
    for (const element of this.openElements.closeAll()) this.end(element);
    this.flush();
    return this.writer.text();
  }

  /** Writes the current block. Within a table row the line stays in its cell. */
  private flush(tight = false) {
    this.closeTagsAbove(0);
    this.endsInAddress = false;
    if (this.cells) {
      if (!this.endsInSpace) this.line += ' ';
    } else {
      this.writer.add(this.preformatted > 0 ? this.line : this.line.replaceAll(' \n', '\n').trim(), tight);
      this.line = '';
    }
    this.endsInSpace = true;
  }

  /** Unclosed tags add only their text. */
  private closeTagsAbove(count: number) {
    while (this.openTags.length > count) this.line = (this.openTags.pop()?.before ?? '') + this.line;
  }

  private endRow() {
    this.closeTagsAbove(0);
    if (this.cells) this.line = [...this.cells, this.line.trim()].filter(Boolean).join(' | ');
    this.cells = undefined;
    this.flush(true);
  }

  /** Adds a space where the next word would become part of the address, as in languages without spaces. */
  private separateAddress(next: string) {
    if (this.endsInAddress && MAY_GO_ON_IN_ADDRESS.test(next)) this.line += ' ';
    this.endsInAddress = false;
  }

  private enterItem() {
    const number = this.lists.at(-1) ?? 0;
    if (number > 0) this.lists[this.lists.length - 1] = number + 1;
    const mark = number > 0 ? `${number}. ` : this.format.bullet;
    this.writer.enter(mark, ' '.repeat(mark.length));
  }

  private closePreformatted() {
    if (this.preformatted === 0) return;
    this.closeTagsAbove(0);
    const { fence } = this.format;
    const code = this.line.replace(/\n$/, '');
    this.line = fence && code ? `${fence}\n${code.replaceAll('```', "'''")}\n${fence}` : code;
    this.flush();
    this.preformatted -= 1;
  }

  private closeInline(name: string) {
    const index = this.openTags.findLastIndex((tag) => tag.name === name);
    const tag = this.openTags[index];
    if (!tag) return;
    this.closeTagsAbove(index + 1);
    this.openTags.pop();
    const text = this.line.trim();
    const start = this.line.length - this.line.trimStart().length;
    const [space, after] = [this.line.slice(0, start), text === '' ? '' : this.line.slice(start + text.length)];
    const kind = this.preformatted > 0 ? undefined : MARKS.get(name);
    const mark = kind && this.format[kind];
    if (tag.href !== undefined) {
      const link = this.linkOf(text, tag.href);
      this.line = tag.before + space + link + after;
      this.endsInAddress = after === '' && tag.href !== '' && link.endsWith(this.linkUrl(tag.href));
    } else if (mark && text) {
      this.line = tag.before + space + mark + text + mark + after;
      this.endsInAddress = false;
    } else this.line = tag.before + this.line;
  }

  /** An address that is its own text is written once. */
  private linkOf(text: string, href: string) {
    if (href === '') return text;
    return this.format.link(text === this.format.escape(href) ? '' : text, this.linkUrl(href));
  }
}
