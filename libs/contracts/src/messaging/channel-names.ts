import { elementsWithin } from '../content/assert-elemental';
import type { ElementalNode, ElementalOverride } from '../content/elemental';
import type { ChannelSettings, MessageRouting } from '../content/routing';
import { invalid, shown } from '../core/refusals';
import { CHANNELS } from '../core/channels';
import { keyPath } from '../core/text';
import type { FieldNames } from './accept-message';
import type { MessageRequested } from './events';
import { PROVIDER_CHANNELS, VENDORS } from './provider-names';

/** Where a `channel` element is for all the others, and the provider that nobody configured. */
const DEFAULT = 'default';

const KNOWN: ReadonlySet<string> = new Set([...CHANNELS, ...Object.keys(PROVIDER_CHANNELS), ...VENDORS, DEFAULT]);

/** By name, where it stands first. */
export type NamedPlaces = ReadonlyMap<string, string>;

/**
 * What a send names as a channel that is neither one nor a provider that everybody knows: only the aliases and ids of its workspace's
 * own configurations can be called so.
 * @param timeoutField in which the send gave its time limits.
 */
export function ownNames(request: MessageRequested, names: FieldNames, timeoutField: 'timeout' | 'timeouts'): NamedPlaces {
  const { timeouts } = request;
  const { found, note } = collector();
  noteDelivery(request, names.of, note);
  if (typeof timeouts?.channelMs === 'object') {
    for (const name of Object.keys(timeouts.channelMs)) note(name, () => keyPath(`${names.of(timeoutField)}.channel`, name));
  }
  return found;
}

/** The same of what is stored for sends to come. `of` names its fields; they were found valid. */
export function ownNamesStored(stored: NamesChannels, of: FieldNames['of']): NamedPlaces {
  const { found, note } = collector();
  noteDelivery(stored, of, note);
  return found;
}

/**
 * Refuses elements for a channel that there is none of. What a workspace calls its own configurations is none here: content is
 * chosen by channel and kind of provider, so that nobody would ever see it.
 * @param path of the elements in errors.
 * @throws ServiceError `invalid_request` naming the field.
 */
export function assertElementChannels(nodes: readonly ElementalNode[], path: string): void {
  nodes.forEach((node, index) => {
    const at = `${path}[${index}]`;
    if (node.type === 'channel') assertKnown(node.channel, `${at}.channel`);
    node.channels?.forEach((name, place) => assertKnown(name, `${at}.channels[${place}]`));
    assertElementChannels(elementsWithin(node), `${at}.elements`);
    for (const [locale, { elements }] of Object.entries<ElementalOverride>(node.locales ?? {})) {
      if (elements) assertElementChannels(elements, `${keyPath(`${at}.locales`, locale)}.elements`);
    }
  });
}

function assertKnown(name: unknown, path: string): void {
  if (typeof name !== 'string' || KNOWN.has(name)) return;
  throw invalid(`${path} must be one of ${CHANNELS.join(', ')}, or the key of a provider (got ${shown(name)})`);
}

/** What of these can be called so. */
interface Configured {
  readonly id: string;
  readonly alias?: string;
}

/** @throws ServiceError `invalid_request` naming the first of `names` that nothing is called. */
export function assertConfigured(names: NamedPlaces, configured: readonly Configured[]): void {
  for (const [name, path] of names) {
    if (configured.some(({ id, alias }) => name === id || name === alias)) continue;
    throw invalid(`${path} must be one of ${CHANNELS.join(', ')}, or a provider by its key, alias or id (got ${shown(name)})`);
  }
}

type Note = (name: unknown, path: () => string) => void;

/** Says over which channels messages go, and how. */
interface NamesChannels {
  readonly routing?: MessageRouting | null;
  readonly channels?: Readonly<Record<string, ChannelSettings>> | null;
}

function collector(): { found: Map<string, string>; note: Note } {
  const found = new Map<string, string>();
  const note: Note = (name, path) => {
    if (typeof name === 'string' && !KNOWN.has(name) && !found.has(name)) found.set(name, path());
  };
  return { found, note };
}

function noteDelivery({ routing, channels }: NamesChannels, of: FieldNames['of'], note: Note): void {
  if (routing) noteRouting(routing, of('routing'), note);
  for (const name of Object.keys(channels ?? {})) note(name, () => keyPath(of('channels'), name));
}

function noteRouting({ channels }: MessageRouting, path: string, note: Note): void {
  channels.forEach((channel, index) => {
    const at = `${path}.channels[${index}]`;
    if (typeof channel === 'string') note(channel, () => at);
    else if ('channel' in channel) note(channel.channel, () => `${at}.channel`);
    else noteRouting(channel, at, note);
  });
}
