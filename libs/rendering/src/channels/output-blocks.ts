import type { Block } from '../elemental/blocks';
import type { LinkUrl } from '../rich-text/html-to-format';
import { PLAIN } from '../rich-text/text-format';
import { blockToText } from './blocks-text';
import type { OutputBlock } from '@tidings/contracts/messaging/channel-outputs';

/** Blocks of a message's output: texts and actions. Columns are flattened. */
export function outputBlocks(blocks: readonly Block[], linkUrl: LinkUrl): OutputBlock[] {
  return blocks.flatMap((block): OutputBlock[] => {
    if (block.type === 'columns') return block.columns.flatMap((column) => outputBlocks(column.blocks, linkUrl));
    if (block.type === 'action') return [{ type: 'action', text: block.label, url: linkUrl(block.href) }];
    if (block.type === 'divider') return [];
    const text = blockToText(block, PLAIN, linkUrl);
    return text ? [{ type: 'text', text }] : [];
  });
}
