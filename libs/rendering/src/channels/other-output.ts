import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import type { Block } from '../elemental/blocks';
import { oneLine } from '../one-line';
import { assertOutputLength } from '../render-limits';
import { PLAIN } from '../rich-text/text-format';
import { NOWHERE, type Utm } from '../urls';
import { addressesFor } from './addresses';
import { blocksToText } from './blocks-text';
import { directMessage } from './direct-message';
import type { Output, OutputBlock } from '@tidings/contracts/messaging/channel-outputs';

interface OtherParts {
  readonly title: string;
  readonly blocks: readonly Block[];
  readonly outputBlocks: readonly OutputBlock[];
  readonly raw: Readonly<Record<string, unknown>> | undefined;
  /** The message's data. */
  readonly data: unknown;
}

const PREVIEW_CHARS_MAX = 500;

/** The output of all channels except e-mail. */
export function otherOutput(
  { channel, provider, utm }: { readonly channel: string; readonly provider?: string; readonly utm?: Utm },
  { title, blocks, outputBlocks, raw, data: given }: OtherParts,
  warn: (sentence: string) => void,
): Output {
  const linkUrl = addressesFor(channel, utm);
  const text = blocksToText(blocks, PLAIN, linkUrl);
  assertOutputLength(text);
  const data = isJsonObject(given) ? given : {};
  switch (channel) {
    case 'sms':
      return { kind: 'sms', sms: { text } };
    case 'push': {
      const action = outputBlocks.find((block) => block.type === 'action' && block.url !== '' && block.url !== NOWHERE);
      const clickAction = action?.type === 'action' ? { clickAction: action.url } : {};
      return {
        kind: 'push',
        push: { title, body: blocksToText(withoutActions(blocks), PLAIN, linkUrl), data: { ...data, ...clickAction } },
      };
    }
    case 'direct_message':
      return { kind: 'direct_message', directMessage: directMessage(provider, { blocks, text: text || title, raw }, linkUrl, warn) };
    case 'inbox':
    case 'banner': {
      const body = blocksToText(withoutActions(blocks), PLAIN, linkUrl);
      const preview = oneLine(body).slice(0, PREVIEW_CHARS_MAX).toWellFormed();
      const actions = actionsOf(blocks).map(({ label, href, style }) => ({ content: label, href: linkUrl(href), style }));
      return { kind: 'inbox', inbox: { title, preview, body, actions, data } };
    }
    default:
      return { kind: 'webhook', webhook: { title, body: text, blocks: outputBlocks } };
  }
}

type Action = Extract<Block, { type: 'action' }>;

function actionsOf(blocks: readonly Block[]): Action[] {
  return blocks.flatMap((block) =>
    block.type === 'action' ? [block] : block.type === 'columns' ? block.columns.flatMap((column) => actionsOf(column.blocks)) : [],
  );
}

/** Removes actions, also in columns; within lists an action is part of the text. */
function withoutActions(blocks: readonly Block[]): Block[] {
  return blocks.flatMap((block): Block[] => {
    if (block.type === 'action') return [];
    if (block.type !== 'columns') return [block];
    return [{ ...block, columns: block.columns.map((column) => ({ ...column, blocks: withoutActions(column.blocks) })) }];
  });
}
