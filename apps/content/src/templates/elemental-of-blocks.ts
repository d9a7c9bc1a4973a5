import type { Block, BlockChannel, BlockText, BlockType, ChannelText } from '@tidings/contracts/content/blocks';
import { ELEMENTAL_VERSION, type ElementalContent, type ElementalNode, type ElementalOverride } from '@tidings/contracts/content/elemental';
import { isGiven } from '@tidings/contracts/core/refusals';
import type { BlockContent } from './blocks';

/** The equivalent Elemental types. A list becomes its parent item, with its children one level below. */
const TYPES: Record<Exclude<BlockType, 'list' | 'divider'>, string> = {
  text: 'text',
  markdown: 'text',
  quote: 'quote',
  template: 'html',
  jsonnet: 'jsonnet',
  image: 'image',
  action: 'action',
};

/** Block content as Elemental: for rendering, and for answers in Elemental. */
export function elementalOfBlocks({ blocks, channels }: BlockContent): ElementalContent {
  const titled = channels.filter(({ content }) => titleOf(content) !== undefined);
  return {
    version: ELEMENTAL_VERSION,
    elements: [...titled.map((channel) => metaOf(channel, titled.length > 1)), ...blocks.map(nodeOf)],
  };
}

/** Where several channels have a title, each has its own. */
function metaOf(channel: BlockChannel, several: boolean): ElementalNode {
  const { type } = channel;
  return { type: 'meta', ...(several && type && { channels: [type] }), ...translated(channel, (text) => ({ title: titleOf(text) })) };
}

function nodeOf(block: Block): ElementalNode {
  const { id, type } = block;
  if (type === 'divider') return { type, id };
  if (type === 'list') return { type, id, ...translated(block, (text) => ({ elements: itemsOf(text) })) };
  const field = type === 'image' ? 'src' : 'content';
  return {
    type: TYPES[type],
    id,
    ...(type === 'markdown' && { format: 'markdown' }),
    ...translated(block, (text) => ({ [field]: textOf(text) })),
  } as ElementalNode;
}

/** What `fieldsOf` makes of the content of a block or a channel, and of its translations. */
function translated<Text>(
  { content, locales }: { content?: Text; locales?: Record<string, NonNullable<Text>> | null },
  fieldsOf: (text: Text | undefined) => ElementalOverride,
) {
  const overrides = Object.entries(locales ?? {}).map(([locale, text]) => [locale, fieldsOf(text)] as const);
  return { ...fieldsOf(content), ...(overrides.length > 0 && { locales: Object.fromEntries(overrides) }) };
}

function itemsOf(content: BlockText | null | undefined): ElementalNode[] {
  const { parent, children } = typeof content === 'object' && content !== null ? content : { parent: content, children: undefined };
  const below: ElementalNode = { type: 'list', elements: [{ type: 'list-item', content: children }] };
  return [{ type: 'list-item', content: parent ?? '', ...(isGiven(children) && { elements: [below] }) }];
}

function textOf(content: BlockText | null | undefined) {
  if (typeof content === 'string') return content;
  return [content?.parent, content?.children].filter(isGiven).join('\n');
}

const titleOf = (content: ChannelText | null | undefined) => content?.subject ?? content?.title ?? undefined;
