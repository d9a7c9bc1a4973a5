import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import type { DirectMessageOutput, Output, OutputBlock } from '@tidings/contracts/messaging/channel-outputs';
import { withoutColumns } from '../elemental/blocks';
import type { ResolvedContent } from '../elemental/resolve';
import { oneLine } from '../one-line';
import { assertLength } from '../render-budget';
import { MARKDOWN, PLAIN } from '../rich-text/text-format';
import type { RenderScope, Values } from '../scope';
import { addressesFor, type LinkUrl, NOWHERE, type Utm } from '../urls';
import { blocksToText } from './blocks-text';
import { discordPosts } from './discord';
import { rawSlackBlocks, slackBlocks, slackBlocksText } from './slack';
import { adaptiveCard } from './teams';

interface OtherParts extends ResolvedContent {
  readonly outputBlocks: readonly OutputBlock[];
  /** The author's raw content instead of elements. */
  readonly raw: Values | undefined;
}

const PREVIEW_CHARS_MAX = 500;

/** The output of all channels except e-mail. */
export function otherOutput(
  { channel, provider, utm }: { readonly channel: string; readonly provider?: string; readonly utm?: Utm },
  content: OtherParts,
  scope: RenderScope,
): Output {
  const { title, blocks, outputBlocks } = content;
  const linkUrl = addressesFor(channel, utm);
  const text = blocksToText(blocks, PLAIN, linkUrl);
  assertLength(text.length);
  const data = isJsonObject(scope.data) ? scope.data : {};
  const flat = withoutColumns(blocks);
  const actions = flat.filter((block) => block.type === 'action');
  /** Actions are shown beside it; within lists they are part of the text. */
  const bodyText = () => {
    const body = flat.filter(({ type }) => type !== 'action');
    return blocksToText(body, PLAIN, linkUrl);
  };
  switch (channel) {
    case 'sms':
      return { kind: 'sms', sms: { text } };
    case 'push': {
      const clickAction = actions.map(({ href }) => linkUrl(href)).find((url) => url !== '' && url !== NOWHERE);
      return { kind: 'push', push: { title, body: bodyText(), data: { ...data, ...(clickAction && { clickAction }) } } };
    }
    case 'direct_message':
      return { kind: 'direct_message', directMessage: directMessage(provider, content, text || title, linkUrl, scope) };
    case 'inbox':
    case 'banner': {
      const body = bodyText();
      const preview = oneLine(body).slice(0, PREVIEW_CHARS_MAX).toWellFormed();
      const shown = actions.map(({ label, href, style }) => ({ content: label, href: linkUrl(href), style }));
      return { kind: 'inbox', inbox: { title, preview, body, actions: shown, data } };
    }
    default:
      return { kind: 'webhook', webhook: { title, body: text, blocks: outputBlocks } };
  }
}

/** A direct message in its provider's format; plain text for other providers. */
function directMessage(
  provider: string | undefined,
  { blocks, raw }: OtherParts,
  text: string,
  linkUrl: LinkUrl,
  scope: RenderScope,
): DirectMessageOutput {
  switch (provider) {
    case 'slack': {
      if (raw?.slackBlocks === undefined) return { text, blocks: slackBlocks(blocks, linkUrl, scope) };
      const given = rawSlackBlocks(raw.slackBlocks, scope);
      return { text: slackBlocksText(given), blocks: given };
    }
    case 'msteams':
    case 'teams-workflows':
      return { text, card: adaptiveCard(blocks, linkUrl, scope) };
    case 'discord':
      return { text, posts: discordPosts(blocksToText(blocks, MARKDOWN, linkUrl), scope) };
    default:
      return { text };
  }
}
