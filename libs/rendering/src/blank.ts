import type { Output } from './channels/outputs';
import type { Block } from './elemental/blocks';

/** What was made of content that has no `raw` for its channel. */
interface Resolved {
  readonly title: string;
  readonly blocks: readonly Block[];
}

/**
 * Whether nobody would see or hear anything of it: its conditions left nothing, or its texts are empty. A webhook is never blank,
 * nor is a push message with data: programs read these.
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
