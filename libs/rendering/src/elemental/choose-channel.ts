import type { ElementalNode } from '@tidings/contracts/content/elemental';
import type { Values } from '../scope';
import type { CompiledNode, Content } from './compile';

/** Content for a channel: its elements, or raw content. */
export interface ChannelContent {
  readonly nodes: readonly CompiledNode[];
  readonly raw?: Values;
  /** The chosen `channel` element; its sizes apply to all of its elements. */
  readonly element?: CompiledNode;
}

/**
 * Chooses the most specific `channel` element: the provider's, the channel's, `default`. Content without such elements is for
 * every channel. Undefined when none matches.
 */
export function chooseChannel(nodes: readonly CompiledNode[], channel: string, provider: string | undefined): ChannelContent | undefined {
  const channels = nodes.filter(({ type }) => type === 'channel');
  if (channels.length === 0) return { nodes };
  const name = mostSpecific(
    channels.map(({ body }) => body.fields.channel),
    channel,
    provider,
  );
  const element = name && channels.find(({ body }) => body.fields.channel === name);
  if (!element) return undefined;
  const { raw } = element.body.fields as Extract<ElementalNode, { type: 'channel' }>;
  return { nodes: [element], raw: raw ?? undefined, element };
}

/** Whether stored content has elements for a channel, independently of data. */
export function isForChannel({ elements }: Content, channel: string, provider: string | undefined): boolean {
  const names = (elements ?? []).flatMap((element) => (element.type === 'channel' ? [element.channel] : []));
  return names.length === 0 || mostSpecific(names, channel, provider) !== undefined;
}

function mostSpecific(names: readonly unknown[], channel: string, provider: string | undefined) {
  return [provider, channel, 'default'].find((name) => name !== undefined && names.includes(name));
}
