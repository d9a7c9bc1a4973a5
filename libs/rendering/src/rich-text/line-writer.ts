import type { LinkUrl } from '../urls';
import type { TextFormat } from './text-format';

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

/** Writes a line with its inline tags. */
export class LineWriter {
  private readonly openTags: OpenTag[] = [];
  private line = '';
  /** The line ends in a space or is empty. */
  private endsInSpace = true;
  /** Whether the line ends in an address without a closing mark. */
  private endsInAddress = false;

  constructor(
    private readonly format: TextFormat,
    private readonly linkUrl: LinkUrl,
  ) {}

  text(text: string): void {
    const collapsed = text.replace(/[ \t\r\n\f]+/g, ' ');
    const shown = this.endsInSpace ? collapsed.trimStart() : collapsed;
    if (shown === '') return;
    this.separateAddress(shown);
    this.endsInSpace = shown.endsWith(' ');
    this.line += this.openTags.some(({ name }) => name === 'code') ? this.format.escapeCode(shown) : this.format.escape(shown);
  }

  preformatted(text: string): void {
    this.line += this.format.escapeCode(text);
  }

  break(): void {
    this.line += '\n';
    this.endsInSpace = true;
    this.endsInAddress = false;
  }

  image(alt: string, src: string): void {
    this.separateAddress(alt);
    this.line += this.format.image(this.format.escape(alt), this.linkUrl(src, 'image'));
    this.endsInSpace = false;
  }

  /** `href`: of a link. */
  open(name: string, href?: string): void {
    if (this.openTags.length >= OPEN_TAGS_MAX) return;
    this.openTags.push({ name, before: this.line, href });
    this.line = '';
  }

  close(name: string, isMarked: boolean): void {
    const index = this.openTags.findLastIndex((tag) => tag.name === name);
    const tag = this.openTags[index];
    if (!tag) return;
    const line = this.withoutTags(index + 1);
    this.openTags.pop();
    const { before, href } = tag;
    const text = line.trim();
    const start = line.length - line.trimStart().length;
    const [space, after] = [line.slice(0, start), text === '' ? '' : line.slice(start + text.length)];
    const kind = isMarked ? MARKS.get(name) : undefined;
    const mark = kind && this.format[kind];
    if (href) {
      const url = this.linkUrl(href);
      // An address that is its own text is written once.
      const link = this.format.link(text === this.format.escape(href) ? '' : text, url);
      this.line = before + space + link + after;
      this.endsInAddress = after === '' && link.endsWith(url);
    } else if (mark && text) {
      this.line = before + space + mark + text + mark + after;
      this.endsInAddress = false;
    } else this.line = before + line;
  }

  /** Changes the line so far. */
  change(changed: (line: string) => string): void {
    this.line = changed(this.withoutTags());
  }

  endWord(): void {
    const space = this.endsInSpace ? '' : ' ';
    this.line = this.take() + space;
  }

  /** Ends the line and returns it. */
  take(): string {
    const line = this.withoutTags();
    this.line = '';
    this.endsInSpace = true;
    this.endsInAddress = false;
    return line;
  }

  /** The line so far; tags that are not closed, from that of number `count` on, add only their text. */
  private withoutTags(count = 0) {
    while (this.openTags.length > count) this.line = (this.openTags.pop()?.before ?? '') + this.line;
    return this.line;
  }

  /** Adds a space where the next word would become part of the address, as in languages without spaces. */
  private separateAddress(next: string) {
    if (this.endsInAddress && MAY_GO_ON_IN_ADDRESS.test(next)) this.line += ' ';
    this.endsInAddress = false;
  }
}
