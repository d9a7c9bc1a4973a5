import type { OutputBlock } from '@tidings/contracts/messaging/channel-outputs';
import { type Block, type LetterStyle, type ListBlock, type TextBlock, withoutColumns } from '../elemental/blocks';
import { BlockWriter } from '../rich-text/block-writer';
import { htmlToFormat } from '../rich-text/html-to-format';
import { PLAIN, type TextFormat } from '../rich-text/text-format';
import type { LinkUrl } from '../urls';

/** Blocks as running text in a channel's format. `linkUrl` makes addresses safe. */
export function blocksToText(blocks: readonly Block[], format: TextFormat, linkUrl: LinkUrl): string {
  const writer = new BlockWriter();
  for (const block of blocks) write(writer, block, format, linkUrl);
  return writer.text();
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

function write(writer: BlockWriter, block: Block, format: TextFormat, linkUrl: LinkUrl, tight = false) {
  switch (block.type) {
    case 'text': {
      const text = format === PLAIN ? plainText(block, linkUrl) : htmlToFormat(block.html, format, linkUrl);
      const level = { text: 0, subtext: 0, h1: 1, h2: 2, h3: 3 }[block.style];
      return writer.add(level > 0 ? format.heading(text, level) : styled(text, block.letters, format), tight);
    }
    case 'quote':
      writer.enter(format.quote, format.quote);
      writer.add(htmlToFormat(block.html, format, linkUrl));
      return writer.leave();
    case 'action':
      return writer.add(block.href ? format.link(format.escape(block.label), linkUrl(block.href)) : format.escape(block.label));
    case 'image':
      return writer.add(
        block.href
          ? format.link(format.escape(block.alt), linkUrl(block.href))
          : format.image(format.escape(block.alt), linkUrl(block.src, 'image')),
      );
    case 'divider':
      return writer.add(format.rule);
    case 'html':
      return writer.add(htmlToFormat(block.html, format, linkUrl));
    case 'columns':
      for (const inner of withoutColumns([block])) write(writer, inner, format, linkUrl);
      return;
    case 'list':
      return writeList(writer, block, format, linkUrl);
  }
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

function writeList(writer: BlockWriter, { ordered, items }: ListBlock, format: TextFormat, linkUrl: LinkUrl) {
  writer.enter('', '');
  let number = 0;
  for (const { isItem, blocks } of items) {
    if (isItem) number += 1;
    const mark = isItem ? (ordered ? `${number}. ` : format.bullet) : ' '.repeat(format.bullet.length);
    writer.enter(mark, ' '.repeat(mark.length));
    blocks.forEach((block, index) => write(writer, block, format, linkUrl, index === 0));
    writer.leave();
  }
  writer.leave();
}

function styled(text: string, { bold, italic, strikethrough }: LetterStyle, format: TextFormat) {
  if (!text || text.includes('\n')) return text;
  let written = text;
  if (strikethrough) written = `${format.strike}${written}${format.strike}`;
  if (italic) written = `${format.italic}${written}${format.italic}`;
  return bold ? `${format.bold}${written}${format.bold}` : written;
}
