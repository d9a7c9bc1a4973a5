import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { cut } from '@tidings/contracts/core/text';
import { type ActionBlock, type Block, type FlatBlock, type ImageBlock, withoutColumns } from '../elemental/blocks';
import { htmlToFormat } from '../rich-text/html-to-format';
import { MRKDWN, PLAIN } from '../rich-text/text-format';
import { type RenderScope, warn } from '../scope';
import type { LinkUrl } from '../urls';
import { blocksToText } from './blocks-text';
import { splitText } from './split-text';

type SlackBlock = Readonly<Record<string, unknown>>;

/** Limits of Slack's interface. */
export const SLACK_BLOCKS_MAX = 50;
const SECTION_CHARS_MAX = 3_000;
const HEADER_CHARS_MAX = 150;
const BUTTON_CHARS_MAX = 75;
const BUTTONS_MAX = 25;
const URL_CHARS_MAX = 3_000;
const ALT_CHARS_MAX = 2_000;
const ACTION_ID_CHARS_MAX = 255;

/** Blocks in Slack's format. Content above Slack's limits is cut with a warning. */
export function slackBlocks(blocks: readonly Block[], linkUrl: LinkUrl, scope: RenderScope): SlackBlock[] {
  const joined = joinButtons(withoutColumns(blocks).flatMap((block) => slackBlock(block, linkUrl)));
  const left = joined.length - SLACK_BLOCKS_MAX;
  if (left > 0) warn(scope, `Slack shows ${SLACK_BLOCKS_MAX} blocks, ${left} were left out`);
  return joined.slice(0, SLACK_BLOCKS_MAX);
}

function slackBlock(block: FlatBlock, linkUrl: LinkUrl): SlackBlock[] {
  switch (block.type) {
    case 'text': {
      const isTitle = block.style === 'h1' || block.style === 'h2';
      const plain = isTitle ? oneLine(htmlToFormat(block.html, PLAIN, linkUrl)) : '';
      if (plain && plain.length <= HEADER_CHARS_MAX) return [{ type: 'header', text: { type: 'plain_text', text: plain, emoji: true } }];
      const text = blocksToText([block], MRKDWN, linkUrl);
      if (block.style === 'subtext' && text) return [{ type: 'context', elements: [{ type: 'mrkdwn', text: cut(text, ALT_CHARS_MAX) }] }];
      return sections(text);
    }
    case 'action':
      return action(block, linkUrl);
    case 'image':
      return image(block, linkUrl);
    case 'divider':
      return [{ type: 'divider' }];
    case 'html':
      return [];
    case 'quote':
    case 'list':
      return sections(blocksToText([block], MRKDWN, linkUrl));
  }
}

function sections(text: string): SlackBlock[] {
  return splitText(text, SECTION_CHARS_MAX).pieces.map((piece) => ({ type: 'section', text: { type: 'mrkdwn', text: piece } }));
}

function action({ label, href, style, actionId }: ActionBlock, linkUrl: LinkUrl) {
  const url = href ? linkUrl(href) : '';
  if (style === 'link') return sections(url ? MRKDWN.link(MRKDWN.escape(label), url) : MRKDWN.escape(label));
  if (!isShowable(url)) return sections(MRKDWN.escape(PLAIN.link(label, url)));
  const button = {
    type: 'button',
    text: { type: 'plain_text', text: cut(oneLine(label) || url, BUTTON_CHARS_MAX), emoji: true },
    url,
    ...(actionId && { action_id: actionId.slice(0, ACTION_ID_CHARS_MAX) }),
    ...(style === 'button' && { style: 'primary' }),
  };
  return [{ type: 'actions', elements: [button] }];
}

/** Joins consecutive buttons into one row. */
function joinButtons(blocks: readonly SlackBlock[]) {
  const joined: SlackBlock[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    const [buttons, more] = [last?.elements, block.elements] as (unknown[] | undefined)[];
    if (block.type === 'actions' && last?.type === 'actions' && buttons && more && buttons.length < BUTTONS_MAX) {
      joined[joined.length - 1] = { ...last, elements: [...buttons, ...more] };
    } else joined.push(block);
  }
  return joined;
}

function image({ src, alt, href }: ImageBlock, linkUrl: LinkUrl): SlackBlock[] {
  const url = linkUrl(src, 'image');
  if (!isShowable(url)) return sections(MRKDWN.escape(alt));
  const picture = { type: 'image', image_url: url, alt_text: cut(oneLine(alt) || 'image', ALT_CHARS_MAX) };
  return href ? [picture, ...sections(MRKDWN.link(MRKDWN.escape(alt), linkUrl(href)))] : [picture];
}

function isShowable(url: string) {
  return /^https?:/i.test(url) && url.length <= URL_CHARS_MAX;
}

function oneLine(text: string) {
  return text.replace(/\s+/g, ' ').trim();
}

/** The author's blocks: a list, or JSON of one. Any other value gives no blocks and a warning. */
export function rawSlackBlocks(given: unknown, scope: RenderScope): SlackBlock[] {
  let blocks = given;
  if (typeof given === 'string') {
    try {
      blocks = JSON.parse(given);
    } catch {
      blocks = undefined;
    }
  }
  if (isJsonObject(blocks) && Array.isArray(blocks.blocks)) blocks = blocks.blocks;
  if (!Array.isArray(blocks)) {
    warn(scope, 'slackBlocks is no list of blocks, nor JSON of one, and was left out');
    return [];
  }
  return blocks.filter(isJsonObject).slice(0, SLACK_BLOCKS_MAX);
}

/** The text of those blocks, for notifications. */
export function slackBlocksText(blocks: readonly SlackBlock[]): string {
  const lines = blocks.flatMap(({ text }) => (isJsonObject(text) && typeof text.text === 'string' ? [text.text] : []));
  return lines.join('\n').slice(0, SECTION_CHARS_MAX).toWellFormed();
}
