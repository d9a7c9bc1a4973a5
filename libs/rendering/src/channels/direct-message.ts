import type { Block } from '../elemental/blocks';
import type { LinkUrl } from '../rich-text/html-to-format';
import { MARKDOWN } from '../rich-text/text-format';
import { blocksToText } from './blocks-text';
import { discordPosts } from './discord';
import type { DirectMessageOutput } from '@tidings/contracts/messaging/channel-outputs';
import { rawSlackBlocks, slackBlocks, slackBlocksText } from './slack';
import { adaptiveCard } from './teams';

interface DirectMessageParts {
  readonly blocks: readonly Block[];
  /** All blocks as plain text. */
  readonly text: string;
  /** The author's raw content instead of elements. */
  readonly raw: Readonly<Record<string, unknown>> | undefined;
}

/** A direct message in its provider's format; plain text for other providers. */
export function directMessage(
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
