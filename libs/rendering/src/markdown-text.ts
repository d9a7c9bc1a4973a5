import type { Token } from 'markdown-it';
import { htmlToText } from './html-text';
import type { Placeholders } from './placeholders';

/**
 * The plain text of parsed Markdown: blocks apart by an empty line, lists with their marks, quotes with `>`, and links as
 * `text: address`. Marks of variables stay.
 */
export function markdownToText(tokens: readonly Token[], placeholders: Placeholders): string {
  const writer = new TextWriter();
  let cells: string[] = [];
  for (const [i, token] of tokens.entries()) {
    switch (token.type) {
      case 'blockquote_open':
        writer.enter('> ', '> ');
        break;
      case 'bullet_list_open':
      case 'ordered_list_open':
      case 'table_open':
        writer.enter('', '');
        break;
      case 'list_item_open': {
        const mark = token.info ? `${token.info}${token.markup} ` : '- ';
        writer.enter(mark, ' '.repeat(mark.length));
        break;
      }
      case 'blockquote_close':
      case 'bullet_list_close':
      case 'ordered_list_close':
      case 'table_close':
      case 'list_item_close':
        writer.leave();
        break;
      case 'tr_open':
        cells = [];
        break;
      case 'tr_close':
        writer.add(cells.join(' | '), true);
        break;
      case 'inline': {
        const text = inlineText(token.children ?? [], placeholders);
        const before = tokens[i - 1];
        if (before?.tag === 'td' || before?.tag === 'th') cells.push(text);
        else writer.add(text, before?.hidden === true);
        break;
      }
      case 'fence':
      case 'code_block':
        writer.add(token.content.replace(/\n$/, ''));
        break;
      case 'html_block':
        writer.add(htmlToText(token.content).trim());
        break;
      case 'hr':
        writer.add('---');
        break;
    }
  }
  return writer.text();
}

/** Puts blocks below one another, each line behind the marks of the lists and quotes it is in. */
class TextWriter {
  private readonly containers: { first: string; readonly next: string; begun: boolean }[] = [];
  private written = '';

  enter(first: string, next: string): void {
    this.containers.push({ first, next, begun: false });
  }

  leave(): void {
    this.containers.pop();
  }

  /** `tight`: no empty line before it, unless it begins its list or table. */
  add(block: string, tight = false): void {
    if (block === '') return;
    if (this.written) this.written += tight && this.containers[0]?.begun ? '\n' : '\n\n';
    const first = this.containers.map((container) => (container.begun ? container.next : container.first)).join('');
    const next = this.containers.map((container) => container.next).join('');
    for (const container of this.containers) container.begun = true;
    this.written += first + block.replaceAll('\n', `\n${next}`);
  }

  text(): string {
    return this.written && `${this.written}\n`;
  }
}

function inlineText(tokens: readonly Token[], placeholders: Placeholders): string {
  let text = '';
  let link: { start: number; href: string } | undefined;
  for (const token of tokens) {
    switch (token.type) {
      case 'softbreak':
      case 'hardbreak':
        text += '\n';
        break;
      case 'html_inline':
        text += htmlToText(token.content);
        break;
      case 'image':
        text += inlineText(token.children ?? [], placeholders);
        break;
      case 'link_open':
        link = { start: text.length, href: String(token.attrGet('href') ?? '') };
        break;
      case 'link_close':
        if (link) text = text.slice(0, link.start) + linkText(text.slice(link.start), link.href, placeholders);
        link = undefined;
        break;
      default:
        text += token.content;
    }
  }
  return text;
}

/** `Order 5: https://…`, but an address that is its own text only once. */
function linkText(text: string, href: string, placeholders: Placeholders): string {
  const address = placeholders.markedAddress(href) ?? href;
  if (!text || !href) return text || href;
  return text === address || `mailto:${text}` === address ? text : `${text}: ${href}`;
}
