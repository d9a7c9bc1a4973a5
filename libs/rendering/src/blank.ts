import { isBlankText } from '@tidings/contracts/core/text';
import type { Output } from '@tidings/contracts/messaging/channel-outputs';
import { type Block, withoutColumns } from './elemental/blocks';
import type { ResolvedContent } from './elemental/resolve';

const PICTURE = /<img\b/i;
const TAG = /<[^>]*>/g;

/**
 * Whether an output shows nothing to its recipient: no element is left, or all texts are blank (`isBlankText`). A push message with data is never
 * blank, since the app reads it.
 */
export function isBlank(output: Output, { title, blocks }: ResolvedContent): boolean {
  switch (output.kind) {
    case 'sms':
      return isBlankText(output.sms.text);
    case 'push':
      return isBlankText(`${output.push.title}${output.push.body}`) && Object.keys(output.push.data).length === 0;
    default:
      return isBlankText(title) && showNothing(blocks);
  }
}

function showNothing(blocks: readonly Block[]): boolean {
  return withoutColumns(blocks).every((block) => {
    switch (block.type) {
      case 'text':
      case 'quote':
        return !PICTURE.test(block.html) && isBlankText(block.html.replaceAll(TAG, ''));
      case 'list':
        return block.items.every((item) => showNothing(item.blocks));
      default:
        return block.type === 'divider';
    }
  });
}
