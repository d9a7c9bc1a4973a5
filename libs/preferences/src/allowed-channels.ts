import type { PreferencesPass, PreferencesStop } from './evaluate';

/** The error of a message whose every channel was removed. */
export const ALL_CHANNELS_REMOVED_ERROR = 'Every channel of the routing was removed by preferences';

/** What remains of a routing. */
interface AllowedChannels {
  readonly send: true;
  /** The classes to keep, in the order of the routing; absent where all stay. */
  readonly channels?: readonly string[];
  /** Whether the conditions (`if`) of the remaining channels count. */
  readonly conditionsApply: boolean;
}

/** Nothing remains: one UNROUTABLE event for each of `removed`. */
interface AllChannelsRemoved extends PreferencesStop {
  readonly status: 'UNROUTABLE';
  readonly reason: 'UNSUBSCRIBED';
  /** Classes of the routing, each once, in its order. */
  readonly removed: readonly string[];
}

const ALL: AllowedChannels = Object.freeze({ send: true, conditionsApply: true });

/**
 * Applies the chosen channels to a routing. A step of its own, because `evaluate` comes before the routing of the message is
 * known: a message that nobody wants needs no template, conditions or providers.
 *
 * @param leaves the channel class of every leaf of the routing, in its order. None at all is no matter of preferences: sent on,
 *   for the router to say so.
 * @param isRoutable whether the message could go out by this class, conditions aside: provider, content and address are there.
 *   Asked only where a required message has a choice of channels; the choice counts if it leaves one such class, else it is ignored.
 */
export function allowedChannels(
  { channels: chosen, required, rule }: PreferencesPass,
  leaves: readonly string[],
  isRoutable: (channel: string) => boolean,
): AllowedChannels | AllChannelsRemoved {
  if (!chosen || leaves.length === 0) return ALL;
  const isChosen = (channel: string) => (chosen as readonly string[]).includes(channel);
  const kept = unique(leaves.filter(isChosen));
  if (required && !kept.some(isRoutable)) return ALL;
  if (kept.length > 0) return { send: true, channels: kept, conditionsApply: false };
  return {
    send: false,
    status: 'UNROUTABLE',
    reason: 'UNSUBSCRIBED',
    error: ALL_CHANNELS_REMOVED_ERROR,
    rule,
    removed: unique(leaves),
  };
}

function unique(channels: readonly string[]): readonly string[] {
  return [...new Set(channels)];
}
