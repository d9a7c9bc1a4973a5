import { elementsWithin } from '../content/assert-elemental';
import type { ElementalNode, ElementalOverride } from '../content/elemental';
import type { MessageRouting, SettingsByChannel } from '../content/routing';
import { invalidValue } from '../core/refusals';
import { CHANNELS } from '../core/channels';
import { keyPath } from '../core/text';
import type { FieldNames } from './accept-message';
import { PROVIDER_CHANNELS, VENDORS } from './provider-names';
import type { Timeouts } from './timing/timeouts';

/** A `channel` element for all other channels; also the built-in provider without a configuration. */
const DEFAULT = 'default';

/** Names that mean the same in every workspace. */
const COMMON_NAMES: ReadonlySet<string> = new Set([...CHANNELS, ...Object.keys(PROVIDER_CHANNELS), ...VENDORS, DEFAULT]);

/** The path of the first occurrence of each name. */
export type NamePaths = ReadonlyMap<string, string>;

/** Settings of a send, or stored settings of later sends, that name channels. Their fields are valid. */
interface NamesChannels {
  readonly routing?: MessageRouting | null;
  readonly channels?: Readonly<SettingsByChannel> | null;
  readonly timeouts?: Timeouts;
}

/**
 * The channel names in settings that are neither a channel nor a common provider. They can only be aliases or ids of the workspace's
 * own configurations. `of` names the fields.
 * @param timeoutField the field in which the send set its time limits.
 */
export function ownNames(
  { routing, channels, timeouts }: NamesChannels,
  of: FieldNames['of'],
  timeoutField: 'timeout' | 'timeouts' = 'timeouts',
): NamePaths {
  const found = new Map<string, string>();
  const note: Note = (name, path) => {
    if (typeof name === 'string' && !COMMON_NAMES.has(name) && !found.has(name)) found.set(name, path());
  };
  if (routing) noteRouting(routing, of('routing'), note);
  for (const name of Object.keys(channels ?? {})) note(name, () => of('channels', name));
  if (typeof timeouts?.channelMs === 'object') {
    for (const name of Object.keys(timeouts.channelMs)) note(name, () => keyPath(`${of(timeoutField)}.channel`, name));
  }
  return found;
}

/**
 * Refuses elements for an unknown channel. Aliases and ids of a workspace's configurations are refused too: content is chosen by
 * channel and kind of provider, so such an element would never be rendered.
 * @param path the path of the elements in errors.
 * @throws ServiceError `invalid_request` naming the field.
 */
export function assertElementChannels(nodes: readonly ElementalNode[], path: string): void {
  nodes.forEach((node, index) => {
    const at = `${path}[${index}]`;
    if (node.type === 'channel') assertCommonName(node.channel, `${at}.channel`);
    node.channels?.forEach((name, position) => assertCommonName(name, `${at}.channels[${position}]`));
    assertElementChannels(elementsWithin(node), `${at}.elements`);
    for (const [locale, { elements }] of Object.entries<ElementalOverride>(node.locales ?? {})) {
      if (elements) assertElementChannels(elements, `${keyPath(`${at}.locales`, locale)}.elements`);
    }
  });
}

function assertCommonName(name: unknown, path: string) {
  if (typeof name !== 'string' || COMMON_NAMES.has(name)) return;
  throw invalidValue(path, `one of ${CHANNELS.join(', ')}, or the key of a provider`, name);
}

/** Refuses names without one of the workspace's configurations. @throws ServiceError `invalid_request` naming the first of them. */
export function assertConfigured(names: NamePaths, configured: readonly { readonly id: string; readonly alias?: string }[]): void {
  for (const [name, path] of names) {
    if (configured.some(({ id, alias }) => name === id || name === alias)) continue;
    throw invalidValue(path, `one of ${CHANNELS.join(', ')}, or a provider by its key, alias or id`, name);
  }
}

type Note = (name: unknown, path: () => string) => void;

function noteRouting({ channels }: MessageRouting, path: string, note: Note) {
  channels.forEach((channel, index) => {
    const at = `${path}.channels[${index}]`;
    if (typeof channel === 'string') note(channel, () => at);
    else if ('channel' in channel) note(channel.channel, () => `${at}.channel`);
    else noteRouting(channel, at, note);
  });
}
