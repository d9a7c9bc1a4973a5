import { ACTION_STYLES, type Block } from '../elemental/blocks';
import { pixelsOf } from '../elemental/style-values';
import type { LinkUrl } from '../rich-text/html-to-format';
import { MARKDOWN, type TextFormat } from '../rich-text/text-format';
import { blockToText } from './blocks-text';

type CardElement = Readonly<Record<string, unknown>>;

/** Cards know no headings in Markdown, as their size is a property, and no code, in which marks would go on meaning something. */
const CARD_MARKDOWN: TextFormat = { ...MARKDOWN, code: '', escapeCode: MARKDOWN.escape, fence: '', heading: (text) => text, strike: '' };
const SIZES = { h1: 'extraLarge', h2: 'large', h3: 'medium', text: 'default', subtext: 'small' } as const;
const ACTION_STYLE_NAMES = { button: 'positive', secondary: 'default', tertiary: 'default', link: 'default' } as const satisfies Record<
  (typeof ACTION_STYLES)[number],
  string
>;
/** Teams refuses a message above about 28 KB. */
const CARD_ELEMENTS_MAX = 100;

/** Blocks as an Adaptive Card of Microsoft Teams. What passes its bounds is cut, and said to `warn`. */
export function adaptiveCard(blocks: readonly Block[], linkUrl: LinkUrl, warn: (sentence: string) => void): CardElement {
  const body = blocks.flatMap((block) => cardElements(block, linkUrl));
  if (body.length > CARD_ELEMENTS_MAX) warn(`A card holds ${CARD_ELEMENTS_MAX} elements, ${body.length - CARD_ELEMENTS_MAX} were left out`);
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: body.slice(0, CARD_ELEMENTS_MAX),
    msteams: { width: 'Full' },
  };
}

function cardElements(block: Block, linkUrl: LinkUrl): CardElement[] {
  switch (block.type) {
    case 'text':
      return textBlock(blockToText(block, CARD_MARKDOWN, linkUrl), {
        size: SIZES[block.style],
        ...(block.style.startsWith('h') && { weight: 'bolder', style: 'heading' }),
        ...(block.style === 'subtext' && { isSubtle: true }),
        ...(block.align && block.align !== 'full' && { horizontalAlignment: block.align }),
      });
    case 'quote':
      return [
        { type: 'Container', style: 'emphasis', items: textBlock(blockToText({ ...block, type: 'text' }, CARD_MARKDOWN, linkUrl), {}) },
      ];
    case 'action': {
      const url = linkUrl(block.href);
      if (!/^(?:https?|mailto|tel):/i.test(url)) return textBlock(MARKDOWN.escape(block.label), {});
      return [
        { type: 'ActionSet', actions: [{ type: 'Action.OpenUrl', title: block.label || url, url, style: ACTION_STYLE_NAMES[block.style] }] },
      ];
    }
    case 'image': {
      const url = linkUrl(block.src, 'image');
      if (!/^https?:/i.test(url)) return textBlock(MARKDOWN.escape(block.alt), {});
      const width = pixelsOf(block.width);
      return [
        {
          type: 'Image',
          url,
          altText: block.alt,
          ...(width !== undefined && { width: `${width}px` }),
          ...(block.align !== 'full' && { horizontalAlignment: block.align }),
          ...(block.href && { selectAction: { type: 'Action.OpenUrl', url: linkUrl(block.href) } }),
        },
      ];
    }
    case 'divider':
      return [{ type: 'Container', separator: true, items: [] }];
    case 'html':
      return [];
    case 'columns':
      return [
        {
          type: 'ColumnSet',
          columns: block.columns.map(({ blocks }) => ({
            type: 'Column',
            width: 'stretch',
            items: blocks.flatMap((inner) => cardElements(inner, linkUrl)),
          })),
        },
      ];
    case 'list':
      return textBlock(blockToText(block, CARD_MARKDOWN, linkUrl), {});
  }
}

/** A card's Markdown shows a line end where there are two, but in lists. */
const SINGLE_LINE_END = /(?<!\n)\n(?!\n|\s*(?:[->]|\d+\.))/g;

function textBlock(text: string, properties: CardElement): CardElement[] {
  return text ? [{ type: 'TextBlock', text: text.replace(SINGLE_LINE_END, '\n\n'), wrap: true, ...properties }] : [];
}
