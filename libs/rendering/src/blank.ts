import type { Output } from '@tidings/contracts/messaging/channel-outputs';
import { type Block, withoutColumns } from './elemental/blocks';
import type { ResolvedContent } from './elemental/resolve';

const PICTURE = /<img\b/i;
const TAG = /<[^>]*>/g;

/**
 * Whether an output shows nothing to its recipient: no element is left, or all texts are empty. A push message with data is never
 * blank, since the app reads it.
 */
export function isBlank(output: Output, { title, blocks }: ResolvedContent): boolean {
  switch (output.kind) {
    case 'sms':
      return output.sms.text.trim() === '';
    case 'push':
      return `${output.push.title}${output.push.body}`.trim() === '' && Object.keys(output.push.data).length === 0;
    default:
      return title.trim() === '' && showNothing(blocks);
  }
}

function showNothing(blocks: readonly Block[]): boolean {
  return withoutColumns(blocks).every((block) => {
    switch (block.type) {
      case 'text':
      case 'quote':
        return !PICTURE.test(block.html) && block.html.replaceAll(TAG, '').trim() === '';
      case 'list':
        return block.items.every((item) => showNothing(item.blocks));
      default:
        return block.type === 'divider';
    }
  });
}
