import type { ElementalNode } from '@tidings/contracts/content/elemental';
import type { Content } from './compile';
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
  const name = mostSpecific(new Set(channels.map(({ body }) => body.fields.channel)), channel, provider);
  const element = name === undefined ? undefined : channels.find(({ body }) => body.fields.channel === name);
  if (!element) return undefined;
  const { raw } = element.body.fields as Extract<ElementalNode, { type: 'channel' }>;
  return { nodes: [element], raw: raw ?? undefined, element };
}

/** Whether content has anything for a channel, whatever the data: rendered there, it is not left out. Of content as it is stored. */
export function isForChannel({ elements }: Content, channel: string, provider: string | undefined): boolean {
  const channels = (elements ?? []).filter((element) => element.type === 'channel');
  return channels.length === 0 || mostSpecific(new Set(channels.map((element) => element.channel)), channel, provider) !== undefined;
}

function mostSpecific(names: ReadonlySet<unknown>, channel: string, provider: string | undefined): string | undefined {
  return [provider, channel, 'default'].find((name) => name !== undefined && names.has(name));
}
