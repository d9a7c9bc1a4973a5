import type { ElementalNode } from '@tidings/contracts/content/elemental';
import type { CompiledContent, CompiledNode } from './compiled';

/** What of a content is for a channel: its elements, or what the channel is given as it stands. */
export interface ChannelContent {
  readonly nodes: readonly CompiledNode[];
  readonly raw: Readonly<Record<string, unknown>> | undefined;
  /** The `channel` element chosen, whose sizes hold for all of its elements. */
  readonly element: CompiledNode | undefined;
}

/**
 * Chooses among `channel` elements the most specific one: the provider's, the channel's, `default`. Content without such
 * elements is for every channel. Undefined when none fits: there is nothing to say there.
 */
export function chooseChannel({ nodes }: CompiledContent, channel: string, provider: string | undefined): ChannelContent | undefined {
  const channels = nodes.filter(({ type }) => type === 'channel');
  if (channels.length === 0) return { nodes, raw: undefined, element: undefined };
  const named = (name: string | undefined) => name !== undefined && channels.find(({ body }) => body.fields.channel === name);
  const element = named(provider) || named(channel) || named('default');
  if (!element) return undefined;
  const { raw } = element.body.fields as Extract<ElementalNode, { type: 'channel' }>;
  return { nodes: [element], raw: raw ?? undefined, element };
}
