import { BlockWriter } from './block-writer';
import { OpenElements } from './open-elements';
import { type Attributes, type HtmlVisitor, readHtml } from './read-html';
import type { TextFormat } from './text-format';

/** What an address becomes: safe, and, where it is a link's, with its parameters. */
export type LinkUrl = (url: string, use?: 'link' | 'image') => string;

/** Not `head`, whose end tag may be missing: these are what it has that is not shown. */
const HIDDEN_ELEMENTS = new Set(['script', 'style', 'title', 'template']);
/** Tags within one another that are remembered; deeper ones only add their text. */
const OPEN_TAGS_MAX = 200;
/** Punctuation of the West does not: readers of text know that it ends a sentence. */
const MAY_GO_ON_IN_ADDRESS = /^[\p{L}\p{M}\p{N}\u3000-\u303f\uff00-\uffef_/&=%#@~+$-]/u;

interface OpenTag {
  readonly name: string;
  /** What the line held before it; what is inside is written apart, so that no line is copied for each of its tags. */
  readonly before: string;
  readonly href?: string;
}

/**
 * An HTML fragment as a channel writes text: of tags only what they mean to a reader is left. Takes any text, in one pass.
 */
export function htmlToFormat(html: string, format: TextFormat, linkUrl: LinkUrl): string {
  const writer = new HtmlWriter(format, linkUrl);
  readHtml(html, withoutHidden(writer));
  return writer.written();
}

/** Passes over what stands in elements that are not shown. */
function withoutHidden(visitor: HtmlVisitor): HtmlVisitor {
  let hiddenBy = '';
  return {
    open(name, attributes) {
      if (hiddenBy) return;
      if (HIDDEN_ELEMENTS.has(name)) hiddenBy = name;
      else visitor.open(name, attributes);
    },
    close(name) {
      if (!hiddenBy) visitor.close(name);
      else if (name === hiddenBy) hiddenBy = '';
    },
    text(text) {
      if (!hiddenBy) visitor.text(text);
    },
  };
}

class HtmlWriter implements HtmlVisitor {
  private readonly writer = new BlockWriter();
  /** Numbers of the ordered lists around; 0 for the others. */
  private readonly lists: number[] = [];
  private readonly openElements = new OpenElements();
  private readonly openTags: OpenTag[] = [];
  private line = '';
  /** Of the line, or that it is empty. */
  private endsInSpace = true;
  private cells: string[] | undefined;
  private preformatted = 0;
  /** Whether the line ends in an address with no mark behind it. */
  private endsInAddress = false;

  constructor(
    private readonly format: TextFormat,
    private readonly linkUrl: LinkUrl,
  ) {}

  text(text: string): void {
    if (this.preformatted > 0) {
      this.line += this.format.escapeCode(text);
      return;
    }
    const collapsed = text.replace(/[ \t\r\n\f]+/g, ' ');
    const shown = this.endsInSpace ? collapsed.trimStart() : collapsed;
    if (shown === '') return;
    this.keepAddressApart(shown);
    this.endsInSpace = shown.endsWith(' ');
    this.line += this.openTags.some(({ name }) => name === 'code') ? this.format.escapeCode(shown) : this.format.escape(shown);
  }

  open(name: string, attributes: Attributes): void {
    const { ended, opened } = this.openElements.open(name);
    for (const inner of ended) this.end(inner);
    if (opened.length === 0) this.flush(true);
    for (const element of opened) this.begin(element, attributes);
  }

  close(name: string): void {
    const ended = this.openElements.close(name);
    if (ended.length === 0) this.flush(true);
    for (const element of ended) this.end(element);
  }

  private begin(name: string, { href = '', src = '', alt = '', start }: Attributes): void {
    switch (name) {
      case 'br':
        this.line += '\n';
        this.endsInSpace = true;
        this.endsInAddress = false;
        return;
      case 'hr':
        this.flush();
        this.writer.add(this.format.rule);
        return;
      case 'img':
        this.image(alt, src);
        return;
      case 'ul':
      case 'ol':
        this.flush(this.lists.length > 0);
        this.lists.push(name === 'ol' ? Number(start ?? 1) || 1 : 0);
        this.writer.enter('', '');
        return;
      case 'li':
        this.flush(true);
        this.enterItem();
        return;
      case 'dl':
        this.flush();
        this.writer.enter('', '');
        return;
      case 'blockquote':
        this.flush();
        this.writer.enter(this.format.quote, this.format.quote);
        return;
      case 'table':
        this.openTable();
        return;
      case 'tr':
        this.flush(true);
        this.cells = [];
        return;
      case 'td':
      case 'th':
        this.flush(true);
        return;
      case 'pre':
        this.flush();
        this.preformatted += 1;
        return;
      case 'p':
      case 'h1':
      case 'h2':
      case 'h3':
      case 'h4':
      case 'h5':
      case 'h6':
        this.flush();
        return;
      case 'div':
      case 'dt':
      case 'dd':
      case 'caption':
        this.flush(true);
        return;
    }
    if (this.openTags.length >= OPEN_TAGS_MAX) return;
    this.openTags.push({ name, before: this.line, ...(name === 'a' && { href }) });
    this.line = '';
  }

  private end(name: string): void {
    switch (name) {
      case 'p':
        return this.flush(false);
      case 'div':
      case 'dt':
      case 'dd':
      case 'caption':
        return this.flush(true);
      case 'h1':
      case 'h2':
      case 'h3':
      case 'h4':
      case 'h5':
      case 'h6':
        this.closeTagsAbove(0);
        this.line = this.format.heading(this.line.trim(), Number(name[1]));
        return this.flush();
      case 'li':
        this.flush(true);
        return this.writer.leave();
      case 'ul':
      case 'ol':
        this.flush(true);
        this.lists.pop();
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

  /** Ends the block that is being written. Within a row of a table its cells keep it. */
  private flush(tight = false): void {
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

  /** Tags that were never closed add their text alone. */
  private closeTagsAbove(count: number): void {
    while (this.openTags.length > count) this.line = (this.openTags.pop()?.before ?? '') + this.line;
  }

  /** A table within a cell means that the outer one is only there for the layout. */
  private openTable(): void {
    if (this.cells) this.endRow();
    this.flush();
    this.writer.enter('', '');
  }

  private endRow(): void {
    this.closeTagsAbove(0);
    if (this.cells) this.line = [...this.cells, this.line.trim()].filter(Boolean).join(' | ');
    this.cells = undefined;
    this.flush(true);
  }

  private image(alt: string, src: string): void {
    this.keepAddressApart(alt);
    this.line += this.format.image(this.format.escape(alt), this.linkUrl(src, 'image'));
    this.endsInSpace = false;
  }

  /** Where a word stands at an address without a space, as in languages that have none, it would become part of it. */
  private keepAddressApart(next: string): void {
    if (this.endsInAddress && MAY_GO_ON_IN_ADDRESS.test(next)) this.line += ' ';
    this.endsInAddress = false;
  }

  private enterItem(): void {
    const number = this.lists.at(-1) ?? 0;
    if (number > 0) this.lists[this.lists.length - 1] = number + 1;
    const mark = number > 0 ? `${number}. ` : this.format.bullet;
    this.writer.enter(mark, ' '.repeat(mark.length));
  }

  private closePreformatted(): void {
    if (this.preformatted === 0) return;
    this.closeTagsAbove(0);
    const { fence } = this.format;
    const code = this.line.replace(/\n$/, '');
    this.line = fence && code ? `${fence}\n${code.replaceAll('```', "'''")}\n${fence}` : code;
    this.flush();
    this.preformatted -= 1;
  }

  private closeInline(name: string): void {
    const index = this.openTags.findLastIndex((tag) => tag.name === name);
    const tag = this.openTags[index];
    if (!tag) return;
    this.closeTagsAbove(index + 1);
    this.openTags.pop();
    const text = this.line.trim();
    const start = this.line.length - this.line.trimStart().length;
    const [space, after] = [this.line.slice(0, start), text === '' ? '' : this.line.slice(start + text.length)];
    const mark = this.markOf(name);
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
  private linkOf(text: string, href: string): string {
    if (href === '') return text;
    return this.format.link(text === this.format.escape(href) ? '' : text, this.linkUrl(href));
  }

  private markOf(name: string): string {
    if (this.preformatted > 0) return '';
    switch (name) {
      case 'strong':
      case 'b':
        return this.format.bold;
      case 'em':
      case 'i':
        return this.format.italic;
      case 's':
      case 'del':
      case 'strike':
        return this.format.strike;
      case 'code':
        return this.format.code;
      default:
        return '';
    }
  }
}
