import type { PreferencesPass, PreferencesStop } from './evaluate';

/** The error of a message whose every channel was removed. */
export const ALL_CHANNELS_REMOVED_ERROR = 'Every channel of the routing was removed by preferences';

/** Channels remain in the routing. */
interface AllowedChannels {
  readonly send: true;
  /** The remaining classes, in the order of the routing; absent where all remain. */
  readonly channels?: readonly string[];
  /** Whether the conditions (`if`) of the remaining channels count. */
  readonly conditionsApply: boolean;
}

/** No channel remains: one UNROUTABLE event for each of `removed`. */
interface AllChannelsRemoved extends PreferencesStop {
  readonly status: 'UNROUTABLE';
  readonly reason: 'UNSUBSCRIBED';
  /** Classes of the routing, each once, in its order. */
  readonly removed: readonly string[];
}

const ALL: AllowedChannels = Object.freeze({ send: true, conditionsApply: true });

/**
 * Applies the chosen channels to a routing. Separate from `evaluate`, which runs before the routing is loaded: an unwanted message
 * needs no template, conditions or providers.
 *
 * @param leaves the channel class of every leaf of the routing, in its order. An empty routing passes: the router reports it.
 * @param isRoutable whether the class has provider, content and address for the message, conditions aside. Called only for a required
 *   message with a choice of channels: the choice counts if it leaves one routable class, otherwise it is ignored.
 */
export function allowedChannels(
  { channels: chosen, required, rule }: PreferencesPass,
  leaves: readonly string[],
  isRoutable: (channel: string) => boolean,
): AllowedChannels | AllChannelsRemoved {
  if (!chosen || leaves.length === 0) return ALL;
  const isChosen = (channel: string) => (chosen as readonly string[]).includes(channel);
  const remaining = [...new Set(leaves.filter(isChosen))];
  if (required && !remaining.some(isRoutable)) return ALL;
  if (remaining.length > 0) return { send: true, channels: remaining, conditionsApply: false };
  return {
    send: false,
    status: 'UNROUTABLE',
    reason: 'UNSUBSCRIBED',
    error: ALL_CHANNELS_REMOVED_ERROR,
    rule,
    removed: [...new Set(leaves)],
  };
}
