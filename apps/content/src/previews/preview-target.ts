import type { PreviewChannel } from '@tidings/contracts/content/previews';
import { CHANNELS } from '@tidings/contracts/core/channels';
import type { Content } from '@tidings/rendering/elemental/compile';

/** A channel, and optionally its provider, for which a preview is rendered. */
export interface PreviewTarget {
  readonly channel: PreviewChannel;
  readonly provider?: string;
}

/** Providers with a form of direct messages of their own. */
const DIRECT_MESSAGE_PROVIDERS = ['slack', 'msteams', 'teams-workflows', 'discord'];
/** Channels of a preview without channel; the banner has the content of the inbox. */
const DEFAULT_CHANNELS = CHANNELS.filter((channel) => channel !== 'banner');

/** The targets of a preview without channel: all channels, and the direct message providers that the content names. */
export function targetsOf(content: Content) {
  const named = new Set<string>();
  for (const node of content.elements ?? []) if (node.type === 'channel' && typeof node.channel === 'string') named.add(node.channel);
  const providers = DIRECT_MESSAGE_PROVIDERS.filter((provider) => named.has(provider));
  const general = providers.length === 0 || named.has('direct_message') || named.has('default');
  return DEFAULT_CHANNELS.flatMap((channel): PreviewTarget[] =>
    channel === 'direct_message'
      ? [...(general ? [{ channel }] : []), ...providers.map((provider) => ({ channel, provider }))]
      : [{ channel }],
  );
}
