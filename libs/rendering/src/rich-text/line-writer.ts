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
export function lineWriter(format: TextFormat, linkUrl: LinkUrl) {
  const openTags: OpenTag[] = [];
  let line = '';
  /** The line ends in a space or is empty. */
  let endsInSpace = true;
  /** Whether the line ends in an address without a closing mark. */
  let endsInAddress = false;

  /** Tags that are not closed add only their text. */
  const dropTags = (count = 0) => {
    const befores = openTags.splice(count).map(({ before }) => before);
    line = befores.join('') + line;
  };
  /** Adds a space where the next word would become part of the address, as in languages without spaces. */
  const separateAddress = (next: string) => {
    if (endsInAddress && MAY_GO_ON_IN_ADDRESS.test(next)) line += ' ';
    endsInAddress = false;
  };

  return {
    text(text: string) {
      const collapsed = text.replace(/[ \t\r\n\f]+/g, ' ');
      const shown = endsInSpace ? collapsed.trimStart() : collapsed;
      if (shown === '') return;
      separateAddress(shown);
      endsInSpace = shown.endsWith(' ');
      line += openTags.some(({ name }) => name === 'code') ? format.escapeCode(shown) : format.escape(shown);
    },

    preformatted(text: string) {
      line += format.escapeCode(text);
    },

    break() {
      line += '\n';
      endsInSpace = true;
      endsInAddress = false;
    },

    image(alt: string, url: string) {
      separateAddress(alt);
      line += format.image(format.escape(alt), url);
      endsInSpace = false;
    },

    /** `href`: of a link. */
    open(name: string, href?: string) {
      if (openTags.length >= OPEN_TAGS_MAX) return;
      openTags.push({ name, before: line, href });
      line = '';
    },

    close(name: string, isMarked: boolean) {
      const index = openTags.findLastIndex((tag) => tag.name === name);
      const tag = openTags[index];
      if (!tag) return;
      dropTags(index + 1);
      openTags.pop();
      const { before, href } = tag;
      const text = line.trim();
      const start = line.length - line.trimStart().length;
      const [space, after] = [line.slice(0, start), text === '' ? '' : line.slice(start + text.length)];
      const kind = isMarked ? MARKS.get(name) : undefined;
      const mark = kind && format[kind];
      if (href) {
        // An address that is its own text is written once.
        const link = format.link(text === format.escape(href) ? '' : text, linkUrl(href));
        line = before + space + link + after;
        endsInAddress = after === '' && link.endsWith(linkUrl(href));
      } else if (mark && text) {
        line = before + space + mark + text + mark + after;
        endsInAddress = false;
      } else line = before + line;
    },

    /** Changes the line so far. */
    change(changed: (line: string) => string) {
      dropTags();
      line = changed(line);
    },

    endWord() {
      dropTags();
      if (!endsInSpace) line += ' ';
      endsInSpace = true;
      endsInAddress = false;
    },

    /** Ends the line and returns it. */
    take() {
      dropTags();
      const taken = line;
      line = '';
      endsInSpace = true;
      endsInAddress = false;
      return taken;
    },
  };
}
