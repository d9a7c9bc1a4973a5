import type { Block } from '../elemental/blocks';
import { pixelsOf } from '../elemental/style-values';
import { MARKDOWN, type TextFormat } from '../rich-text/text-format';
import { type RenderScope, warn } from '../scope';
import type { LinkUrl } from '../urls';
import { blocksToText } from './blocks-text';

type CardElement = Readonly<Record<string, unknown>>;

/** Cards support no Markdown headings, since size is a property, and no code, so marks in code would still apply. */
const CARD_MARKDOWN: TextFormat = { ...MARKDOWN, code: '', escapeCode: MARKDOWN.escape, heading: (text) => text, strike: '' };
const SIZES = { h1: 'extraLarge', h2: 'large', h3: 'medium', text: 'default', subtext: 'small' } as const;
/** Teams refuses a message above about 28 KB. */
const CARD_ELEMENTS_MAX = 100;

/** Blocks as an Adaptive Card of Microsoft Teams. Content above its limits is cut with a warning. */
export function adaptiveCard(blocks: readonly Block[], linkUrl: LinkUrl, scope: RenderScope): CardElement {
  const body = cardElements(blocks, linkUrl);
  const left = body.length - CARD_ELEMENTS_MAX;
  if (left > 0) warn(scope, `A card holds ${CARD_ELEMENTS_MAX} elements, ${left} were left out`);
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: body.slice(0, CARD_ELEMENTS_MAX),
    msteams: { width: 'Full' },
  };
}

function cardElements(blocks: readonly Block[], linkUrl: LinkUrl): CardElement[] {
  return blocks.map((block) => cardElement(block, linkUrl)).filter((element) => element !== undefined);
}

function cardElement(block: Block, linkUrl: LinkUrl): CardElement | undefined {
  switch (block.type) {
    case 'text':
      return textBlock(blocksToText([block], CARD_MARKDOWN, linkUrl), {
        size: SIZES[block.style],
        ...(block.style.startsWith('h') && { weight: 'bolder', style: 'heading' }),
        ...(block.style === 'subtext' && { isSubtle: true }),
        ...(block.align && block.align !== 'full' && { horizontalAlignment: block.align }),
      });
    case 'quote': {
      const text = textBlock(blocksToText([{ ...block, type: 'text' }], CARD_MARKDOWN, linkUrl));
      return { type: 'Container', style: 'emphasis', items: text ? [text] : [] };
    }
    case 'action': {
      const url = linkUrl(block.href);
      if (!/^(?:https?|mailto|tel):/i.test(url)) return textBlock(MARKDOWN.escape(block.label));
      const style = block.style === 'button' ? 'positive' : 'default';
      return { type: 'ActionSet', actions: [{ type: 'Action.OpenUrl', title: block.label || url, url, style }] };
    }
    case 'image': {
      const url = linkUrl(block.src, 'image');
      if (!/^https?:/i.test(url)) return textBlock(MARKDOWN.escape(block.alt));
      const width = pixelsOf(block.width);
      return {
        type: 'Image',
        url,
        altText: block.alt,
        ...(width !== undefined && { width: `${width}px` }),
        ...(block.align !== 'full' && { horizontalAlignment: block.align }),
        ...(block.href && { selectAction: { type: 'Action.OpenUrl', url: linkUrl(block.href) } }),
      };
    }
    case 'divider':
      return { type: 'Container', separator: true, items: [] };
    case 'html':
      return undefined;
    case 'columns': {
      const columns = block.columns.map(({ blocks }) => ({ type: 'Column', width: 'stretch', items: cardElements(blocks, linkUrl) }));
      return { type: 'ColumnSet', columns };
    }
    case 'list':
      return textBlock(blocksToText([block], CARD_MARKDOWN, linkUrl));
  }
}

/** Matches line ends that a card only shows when doubled, except in lists. */
const SINGLE_LINE_END = /(?<!\n)\n(?!\n|\s*(?:[->]|\d+\.))/g;

function textBlock(text: string, properties?: CardElement): CardElement | undefined {
  return text ? { type: 'TextBlock', text: text.replace(SINGLE_LINE_END, '\n\n'), wrap: true, ...properties } : undefined;
}
