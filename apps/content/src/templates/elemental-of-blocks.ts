import type { Block, BlockChannel, BlockText, BlockType, ChannelText } from '@tidings/contracts/content/blocks';
import { ELEMENTAL_VERSION, type ElementalContent, type ElementalNode, type ElementalOverride } from '@tidings/contracts/content/elemental';
import type { BlockContent } from './blocks';

/** What says the same in Elemental. A list says its parent, and its children one level below. */
const TYPES: Record<Exclude<BlockType, 'list' | 'divider'>, string> = {
  text: 'text',
  markdown: 'text',
  quote: 'quote',
  template: 'html',
  jsonnet: 'jsonnet',
  image: 'image',
  action: 'action',
};

/** Content of the first generation as Elemental: what a send renders, and what is answered where Elemental is asked for. */
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
    ...translationsOf(locales, (said): ElementalOverride => ({ title: titleOf(said) })),
  };
}

function nodeOf({ id, type, content, locales }: Block): ElementalNode {
  if (type === 'divider') return { type, id };
  if (type === 'list') {
    return {
      type,
      id,
      elements: itemsOf(content),
      ...translationsOf(locales, (said): ElementalOverride => ({ elements: itemsOf(said) })),
    };
  }
  const field = type === 'image' ? 'src' : 'content';
  return {
    type: TYPES[type],
    id,
    [field]: textOf(content),
    ...(type === 'markdown' && { format: 'markdown' }),
    ...translationsOf(locales, (said): ElementalOverride => ({ [field]: textOf(said) })),
  } as ElementalNode;
}

function itemsOf(said: BlockText | null | undefined): ElementalNode[] {
  const { parent, children } = typeof said === 'object' && said !== null ? said : { parent: said, children: undefined };
  const below: ElementalNode[] =
    children === null || children === undefined ? [] : [{ type: 'list', elements: [{ type: 'list-item', content: children }] }];
  return [{ type: 'list-item', content: parent ?? '', ...(below.length > 0 && { elements: below }) }];
}

function textOf(said: BlockText | null | undefined): string {
  if (typeof said === 'string') return said;
  return [said?.parent, said?.children].filter((text) => text !== null && text !== undefined).join('\n');
}

function titleOf(said: ChannelText | null | undefined): string | undefined {
  return said?.subject ?? said?.title ?? undefined;
}

function translationsOf<Said>(
  locales: Record<string, Said> | null | undefined,
  overrideOf: (said: Said) => ElementalOverride,
): { locales?: Record<string, ElementalOverride> } {
  const entries = Object.entries(locales ?? {});
  return entries.length === 0 ? {} : { locales: Object.fromEntries(entries.map(([locale, said]) => [locale, overrideOf(said)])) };
}
