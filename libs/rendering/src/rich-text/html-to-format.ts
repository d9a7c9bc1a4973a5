import type { LinkUrl } from '../urls';
import { BlockWriter } from './block-writer';
import { LineWriter } from './line-writer';
import { OpenElements } from './open-elements';
import { type Attributes, readHtml } from './read-html';
import type { TextFormat } from './text-format';

/** Elements that are not shown. `head` is not listed, since its end tag may be missing. */
const HIDDEN_ELEMENTS = new Set(['script', 'style', 'title', 'template']);
/** Elements that begin and end on a line of their own. */
const LINES = new Set(['div', 'dt', 'dd', 'caption']);
const CELLS = new Set(['td', 'th']);
const HEADING = /^h[1-6]$/;

/** Converts an HTML fragment to a channel's text format. Accepts any text, in one pass. */
export function htmlToFormat(html: string, format: TextFormat, linkUrl: LinkUrl): string {
  const writer = new BlockWriter();
  const line = new LineWriter(format, linkUrl);
  const elements = new OpenElements();
  /** Next number of each enclosing ordered list; 0 for unordered ones. */
  const lists: number[] = [];
  let cells: string[] | undefined;
  let preformatted = 0;
  /** The open element whose content is not shown. */
  let hiddenBy = '';

  /** Writes the current block. Within a table row the line stays in its cell. */
  const flush = (tight = false) => {
    if (cells) return line.endWord();
    const text = line.take();
    writer.add(preformatted > 0 ? text : text.replaceAll(' \n', '\n').trim(), tight);
  };

  const endRow = () => {
    const row = cells ?? [];
    if (cells) line.change((last) => [...row, last.trim()].filter(Boolean).join(' | '));
    cells = undefined;
    flush(true);
  };

  const begin = (name: string, { href = '', src = '', alt = '', start }: Attributes) => {
    if (LINES.has(name) || CELLS.has(name)) return flush(true);
    if (name === 'p' || HEADING.test(name)) return flush();
    switch (name) {
      case 'br':
        return line.break();
      case 'hr':
        flush();
        return writer.add(format.rule);
      case 'img':
        return line.image(alt, src);
      case 'ul':
      case 'ol':
        flush(lists.length > 0);
        lists.push(name === 'ol' ? Number(start ?? 1) || 1 : 0);
        return writer.enter();
      case 'li': {
        flush(true);
        const number = lists.at(-1) ?? 0;
        if (number > 0) lists.splice(-1, 1, number + 1);
        return writer.enterItem(number > 0 ? `${number}. ` : format.bullet);
      }
      case 'blockquote':
        flush();
        return writer.enter('> ');
      case 'dl':
      case 'table':
        // A table within a cell means that the outer table is layout only.
        if (name === 'table' && cells) endRow();
        flush();
        return writer.enter();
      case 'tr':
        flush(true);
        cells = [];
        return;
      case 'pre':
        flush();
        preformatted += 1;
        return;
    }
    line.open(name, name === 'a' ? href : undefined);
  };

  const end = (name: string) => {
    if (LINES.has(name)) return flush(true);
    if (CELLS.has(name)) return cells ? void cells.push(line.take().trim()) : flush(true);
    if (HEADING.test(name)) line.change((text) => format.heading(text.trim(), Number(name[1])));
    if (name === 'p' || HEADING.test(name)) return flush();
    switch (name) {
      case 'ul':
      case 'ol':
      case 'li':
        flush(true);
        if (name !== 'li') lists.pop();
        return writer.leave();
      case 'blockquote':
      case 'dl':
      case 'table':
        flush();
        return writer.leave();
      case 'tr':
        return endRow();
      case 'pre':
        if (preformatted === 0) return;
        line.change((code) => fenced(code.replace(/\n$/, ''), format));
        flush();
        preformatted -= 1;
        return;
    }
    line.close(name, preformatted === 0);
  };

  readHtml(html, {
    text(text) {
      if (hiddenBy) return;
      if (preformatted > 0) line.preformatted(text);
      else line.text(text);
    },
    open(name, attributes) {
      if (hiddenBy) return;
      if (HIDDEN_ELEMENTS.has(name)) return void (hiddenBy = name);
      const { ended, opened } = elements.open(name);
      for (const inner of ended) end(inner);
      if (opened.length === 0) flush(true);
      for (const element of opened) begin(element, attributes);
    },
    close(name) {
      if (name === hiddenBy) return void (hiddenBy = '');
      if (hiddenBy) return;
      const ended = elements.close(name);
      if (ended.length === 0) flush(true);
      for (const element of ended) end(element);
    },
  });
  for (const element of elements.closeAll()) end(element);
  flush();
  return writer.text();
}

function fenced(code: string, format: TextFormat) {
  const fence = format.code.repeat(3);
  return fence && code ? `${fence}\n${code.replaceAll('```', "'''")}\n${fence}` : code;
}
