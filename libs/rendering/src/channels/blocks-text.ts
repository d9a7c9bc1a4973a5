import type { OutputBlock } from '@tidings/contracts/messaging/channel-outputs';
import { type Block, type LetterStyle, type ListBlock, type TextBlock, withoutColumns } from '../elemental/blocks';
import { BlockWriter } from '../rich-text/block-writer';
import { htmlToFormat } from '../rich-text/html-to-format';
import { PLAIN, type TextFormat } from '../rich-text/text-format';
import type { LinkUrl } from '../urls';

/** Where blocks are written, and how. */
interface Target {
  readonly writer: BlockWriter;
  readonly format: TextFormat;
  readonly linkUrl: LinkUrl;
}

/** Blocks as running text in a channel's format. `linkUrl` makes addresses safe. */
export function blocksToText(blocks: readonly Block[], format: TextFormat, linkUrl: LinkUrl): string {
  const target = { writer: new BlockWriter(), format, linkUrl };
  for (const block of blocks) write(target, block);
  return target.writer.text();
}

/** Blocks of a message's output: texts and actions. Columns are flattened. */
export function outputBlocks(blocks: readonly Block[], linkUrl: LinkUrl): OutputBlock[] {
  return withoutColumns(blocks).flatMap((block): OutputBlock[] => {
    if (block.type === 'action') return [{ type: 'action', text: block.label, url: linkUrl(block.href) }];
    if (block.type === 'divider') return [];
    const text = blocksToText([block], PLAIN, linkUrl);
    return text ? [{ type: 'text', text }] : [];
  });
}

function write(target: Target, block: Block, tight = false): void {
  const { writer, format, linkUrl } = target;
  switch (block.type) {
    case 'text': {
      const text = format === PLAIN ? plainText(block, linkUrl) : htmlToFormat(block.html, format, linkUrl);
      const level = { text: 0, subtext: 0, h1: 1, h2: 2, h3: 3 }[block.style];
      return writer.add(level > 0 ? format.heading(text, level) : styled(text, block.letters, format), tight);
    }
    case 'quote':
      writer.enter('> ');
      writer.add(htmlToFormat(block.html, format, linkUrl));
      return writer.leave();
    case 'action': {
      const label = format.escape(block.label);
      return writer.add(block.href ? format.link(label, linkUrl(block.href)) : label);
    }
    case 'image': {
      const alt = format.escape(block.alt);
      return writer.add(block.href ? format.link(alt, linkUrl(block.href)) : format.image(alt, linkUrl(block.src, 'image')));
    }
    case 'divider':
      return writer.add(format.rule);
    case 'html':
      return writer.add(htmlToFormat(block.html, format, linkUrl));
    case 'columns':
      return withoutColumns([block]).forEach((inner) => write(target, inner));
    case 'list':
      return writeList(target, block);
  }
}

function writeList(target: Target, { ordered, items }: ListBlock) {
  const { writer, format } = target;
  writer.enter();
  let number = 0;
  for (const { isItem, blocks } of items) {
    if (isItem) number += 1;
    writer.enterItem(isItem ? (ordered ? `${number}. ` : format.bullet) : ' '.repeat(format.bullet.length));
    blocks.forEach((block, index) => write(target, block, index === 0));
    writer.leave();
  }
  writer.leave();
}

/** Cache: a mail's text and its record need the same text. A block belongs to one rendering, so `linkUrl` is constant for it. */
const plainTexts = new WeakMap<Block, string>();

function plainText(block: TextBlock, linkUrl: LinkUrl) {
  let text = plainTexts.get(block);
  if (text === undefined) {
    text = htmlToFormat(block.html, PLAIN, linkUrl);
    plainTexts.set(block, text);
  }
  return text;
}

function styled(text: string, { bold, italic, strikethrough }: LetterStyle, format: TextFormat) {
  if (!text || text.includes('\n')) return text;
  let written = text;
  if (strikethrough) written = `${format.strike}${written}${format.strike}`;
  if (italic) written = `${format.italic}${written}${format.italic}`;
  return bold ? `${format.bold}${written}${format.bold}` : written;
}
