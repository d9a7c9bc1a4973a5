import type { OutputBlock } from '@tidings/contracts/messaging/channel-outputs';
import { type Block, type LetterStyle, type ListBlock, type TextBlock, withoutColumns } from '../elemental/blocks';
import { BlockWriter } from '../rich-text/block-writer';
import { htmlToFormat } from '../rich-text/html-to-format';
import { PLAIN, type TextFormat } from '../rich-text/text-format';
import type { LinkUrl } from '../urls';

/** Blocks as running text in a channel's format. `linkUrl` makes addresses safe. */
export function blocksToText(blocks: readonly Block[], format: TextFormat, linkUrl: LinkUrl): string {
  const writer = new BlockWriter();
  const formatted = (html: string) => htmlToFormat(html, format, linkUrl);
  const linked = (label: string, href: string) => format.link(format.escape(label), linkUrl(href));

  const writeText = (block: TextBlock, tight: boolean) => {
    const text = format === PLAIN ? plainText(block, linkUrl) : formatted(block.html);
    const level = { text: 0, subtext: 0, h1: 1, h2: 2, h3: 3 }[block.style];
    writer.add(level > 0 ? format.heading(text, level) : styled(text, block.letters, format), tight);
  };

  const writeList = ({ ordered, items }: ListBlock) => {
    writer.enter();
    let number = 0;
    for (const { isItem, blocks: inner } of items) {
      if (isItem) number += 1;
      writer.enterItem(isItem ? (ordered ? `${number}. ` : format.bullet) : ' '.repeat(format.bullet.length));
      inner.forEach((block, index) => write(block, index === 0));
      writer.leave();
    }
    writer.leave();
  };

  const write = (block: Block, tight = false): void => {
    switch (block.type) {
      case 'text':
        return writeText(block, tight);
      case 'quote':
        writer.enter(format.quote);
        writer.add(formatted(block.html));
        return writer.leave();
      case 'action':
        return writer.add(block.href ? linked(block.label, block.href) : format.escape(block.label));
      case 'image': {
        const { src, alt, href } = block;
        return writer.add(href ? linked(alt, href) : format.image(format.escape(alt), linkUrl(src, 'image')));
      }
      case 'divider':
        return writer.add(format.rule);
      case 'html':
        return writer.add(formatted(block.html));
      case 'columns':
        return withoutColumns([block]).forEach((inner) => write(inner));
      case 'list':
        return writeList(block);
    }
  };

  for (const block of blocks) write(block);
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
