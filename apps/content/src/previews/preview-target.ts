import type { PreviewChannel } from '@tidings/contracts/content/previews';
import { CHANNELS } from '@tidings/contracts/core/channels';
import type { Content } from '@tidings/rendering/elemental/compile';

/** Where something may be said. */
export interface PreviewTarget {
  readonly channel: PreviewChannel;
  readonly provider?: string;
}

/** Direct messages have a form of their own for each of these. */
const DIRECT_MESSAGE_PROVIDERS = ['slack', 'msteams', 'discord'];
/** The banner says what the inbox does. */
const SHOWN_UNASKED = CHANNELS.filter((channel) => channel !== 'banner');

/** Every place that content may be for, where none is asked for: the channels, and the direct messages that it names itself. */
export function placesOf(content: Content): PreviewTarget[] {
  const named = new Set<string>();
  for (const node of content.elements ?? []) if (node.type === 'channel' && typeof node.channel === 'string') named.add(node.channel);
  const providers = DIRECT_MESSAGE_PROVIDERS.filter((provider) => named.has(provider));
  const general = providers.length === 0 || named.has('direct_message') || named.has('default');
  return SHOWN_UNASKED.flatMap((channel): PreviewTarget[] =>
    channel === 'direct_message'
      ? [...(general ? [{ channel }] : []), ...providers.map((provider) => ({ channel, provider }))]
      : [{ channel }],
  );
}
