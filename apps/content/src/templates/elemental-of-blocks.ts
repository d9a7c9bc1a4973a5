import type { Block, BlockChannel, BlockText, BlockType, ChannelText } from '@tidings/contracts/content/blocks';
import { ELEMENTAL_VERSION, type ElementalContent, type ElementalNode, type ElementalOverride } from '@tidings/contracts/content/elemental';
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
function metaOf({ type, content, locales }: BlockChannel, several: boolean): ElementalNode {
  return {
    type: 'meta',
    title: titleOf(content),
    ...(several && type && { channels: [type] }),
    ...translationsOf(locales, (text): ElementalOverride => ({ title: titleOf(text) })),
  };
}

function nodeOf({ id, type, content, locales }: Block): ElementalNode {
  if (type === 'divider') return { type, id };
  if (type === 'list') {
    return {
      type,
      id,
      elements: itemsOf(content),
      ...translationsOf(locales, (text): ElementalOverride => ({ elements: itemsOf(text) })),
    };
  }
  const field = type === 'image' ? 'src' : 'content';
  return {
    type: TYPES[type],
    id,
    [field]: textOf(content),
    ...(type === 'markdown' && { format: 'markdown' }),
    ...translationsOf(locales, (text): ElementalOverride => ({ [field]: textOf(text) })),
  } as ElementalNode;
}

function itemsOf(content: BlockText | null | undefined): ElementalNode[] {
  const { parent, children } = typeof content === 'object' && content !== null ? content : { parent: content, children: undefined };
  const below: ElementalNode[] =
    children === null || children === undefined ? [] : [{ type: 'list', elements: [{ type: 'list-item', content: children }] }];
  return [{ type: 'list-item', content: parent ?? '', ...(below.length > 0 && { elements: below }) }];
}

function textOf(content: BlockText | null | undefined) {
  if (typeof content === 'string') return content;
  return [content?.parent, content?.children].filter((text) => text !== null && text !== undefined).join('\n');
}

const titleOf = (content: ChannelText | null | undefined) => content?.subject ?? content?.title ?? undefined;

function translationsOf<Text>(
  locales: Record<string, Text> | null | undefined,
  overrideOf: (text: Text) => ElementalOverride,
): { locales?: Record<string, ElementalOverride> } {
  const entries = Object.entries(locales ?? {});
  return entries.length === 0 ? {} : { locales: Object.fromEntries(entries.map(([locale, text]) => [locale, overrideOf(text)])) };
}
