import type { Block } from '../elemental/blocks';
import { pixelsOf } from '../elemental/style-values';
import { MARKDOWN, type TextFormat } from '../rich-text/text-format';
import type { LinkUrl } from '../urls';
import { blocksToText } from './blocks-text';

type CardElement = Readonly<Record<string, unknown>>;

/** Cards support no Markdown headings, since size is a property, and no code, so marks in code would still apply. */
const CARD_MARKDOWN: TextFormat = { ...MARKDOWN, code: '', escapeCode: MARKDOWN.escape, fence: '', heading: (text) => text, strike: '' };
const SIZES = { h1: 'extraLarge', h2: 'large', h3: 'medium', text: 'default', subtext: 'small' } as const;
/** Teams refuses a message above about 28 KB. */
const CARD_ELEMENTS_MAX = 100;

/** Blocks as an Adaptive Card of Microsoft Teams. Content above its limits is cut and reported to `warn`. */
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
      return textBlock(blocksToText([block], CARD_MARKDOWN, linkUrl), {
        size: SIZES[block.style],
        ...(block.style.startsWith('h') && { weight: 'bolder', style: 'heading' }),
        ...(block.style === 'subtext' && { isSubtle: true }),
        ...(block.align && block.align !== 'full' && { horizontalAlignment: block.align }),
      });
    case 'quote':
      return [
        { type: 'Container', style: 'emphasis', items: textBlock(blocksToText([{ ...block, type: 'text' }], CARD_MARKDOWN, linkUrl), {}) },
      ];
    case 'action': {
      const url = linkUrl(block.href);
      if (!/^(?:https?|mailto|tel):/i.test(url)) return textBlock(MARKDOWN.escape(block.label), {});
      return [
        {
          type: 'ActionSet',
          actions: [{ type: 'Action.OpenUrl', title: block.label || url, url, style: block.style === 'button' ? 'positive' : 'default' }],
        },
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
      return textBlock(blocksToText([block], CARD_MARKDOWN, linkUrl), {});
  }
}

/** Matches line ends that a card only shows when doubled, except in lists. */
const SINGLE_LINE_END = /(?<!\n)\n(?!\n|\s*(?:[->]|\d+\.))/g;

function textBlock(text: string, properties: CardElement): CardElement[] {
  return text ? [{ type: 'TextBlock', text: text.replace(SINGLE_LINE_END, '\n\n'), wrap: true, ...properties }] : [];
}
