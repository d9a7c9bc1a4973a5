import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import type { DirectMessageOutput, Output, OutputBlock } from '@tidings/contracts/messaging/channel-outputs';
import { type Block, withoutColumns } from '../elemental/blocks';
import { oneLine } from '../one-line';
import { assertOutputLength } from '../render-limits';
import { MARKDOWN, PLAIN } from '../rich-text/text-format';
import { addressesFor, type LinkUrl, NOWHERE, type Utm } from '../urls';
import { blocksToText } from './blocks-text';
import { discordPosts } from './discord';
import { rawSlackBlocks, slackBlocks, slackBlocksText } from './slack';
import { adaptiveCard } from './teams';

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
  const flat = withoutColumns(blocks);
  /** Actions are shown beside it; within lists they are part of the text. */
  const bodyText = () =>
    blocksToText(
      flat.filter(({ type }) => type !== 'action'),
      PLAIN,
      linkUrl,
    );
  switch (channel) {
    case 'sms':
      return { kind: 'sms', sms: { text } };
    case 'push': {
      const action = outputBlocks.find((block) => block.type === 'action' && block.url !== '' && block.url !== NOWHERE);
      const clickAction = action?.type === 'action' ? { clickAction: action.url } : {};
      return { kind: 'push', push: { title, body: bodyText(), data: { ...data, ...clickAction } } };
    }
    case 'direct_message':
      return { kind: 'direct_message', directMessage: directMessage(provider, { blocks, text: text || title, raw }, linkUrl, warn) };
    case 'inbox':
    case 'banner': {
      const body = bodyText();
      const preview = oneLine(body).slice(0, PREVIEW_CHARS_MAX).toWellFormed();
      const actions = flat.flatMap((block) =>
        block.type === 'action' ? [{ content: block.label, href: linkUrl(block.href), style: block.style }] : [],
      );
      return { kind: 'inbox', inbox: { title, preview, body, actions, data } };
    }
    default:
      return { kind: 'webhook', webhook: { title, body: text, blocks: outputBlocks } };
  }
}

interface DirectMessageParts {
  readonly blocks: readonly Block[];
  /** All blocks as plain text. */
  readonly text: string;
  /** The author's raw content instead of elements. */
  readonly raw: Readonly<Record<string, unknown>> | undefined;
}

/** A direct message in its provider's format; plain text for other providers. */
function directMessage(
  provider: string | undefined,
  { blocks, text, raw }: DirectMessageParts,
  linkUrl: LinkUrl,
  warn: (sentence: string) => void,
): DirectMessageOutput {
  switch (provider) {
    case 'slack': {
      if (raw?.slackBlocks === undefined) return { text, blocks: slackBlocks(blocks, linkUrl, warn) };
      const given = rawSlackBlocks(raw.slackBlocks, warn);
      return { text: slackBlocksText(given), blocks: given };
    }
    case 'msteams':
      return { text, card: adaptiveCard(blocks, linkUrl, warn) };
    case 'discord':
      return { text, posts: discordPosts(blocksToText(blocks, MARKDOWN, linkUrl), warn) };
    default:
      return { text };
  }
}
