import type { Output } from '@tidings/contracts/messaging/channel-outputs';
import type { Block } from './elemental/blocks';

/** Resolved content without a `raw` for its channel. */
interface Resolved {
  readonly title: string;
  readonly blocks: readonly Block[];
}

/**
 * Whether an output shows nothing to its recipient: no element is left, or all texts are empty. Webhooks and push messages with
 * data are never blank, since programs read them.
 */
export function isBlank(output: Output, { title, blocks }: Resolved): boolean {
  switch (output.kind) {
    case 'sms':
      return output.sms.text.trim() === '';
    case 'push':
      return `${output.push.title}${output.push.body}`.trim() === '' && Object.keys(output.push.data).length === 0;
    case 'webhook':
      return false;
    default:
      return title.trim() === '' && blocks.every(showsNothing);
  }
}

function showsNothing(block: Block): boolean {
  switch (block.type) {
    case 'text':
    case 'quote':
      return block.html.trim() === '';
    case 'columns':
      return block.columns.every(({ blocks }) => blocks.every(showsNothing));
    case 'list':
      return block.items.every(({ blocks }) => blocks.every(showsNothing));
    case 'divider':
      return true;
    default:
      return false;
  }
}
