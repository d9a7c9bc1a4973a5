import { CHANNEL_CLASSES, type ChannelClass } from '@tidings/contracts/core/channels';
import type { PreferenceStatus } from '@tidings/contracts/core/preferences';
import type { Choice } from '@tidings/contracts/identity/user-preferences';

/** A choice as the client sends it. */
interface RequestedChoice {
  status: PreferenceStatus;
  custom_routing?: readonly string[] | null;
  has_custom_routing?: boolean | null;
}

/** A choice as it is stored. */
export interface ValidChoice {
  /** `null` where only channels were chosen, for a required topic. */
  status: Choice | null;
  has_custom_routing: boolean;
  custom_routing: ChannelClass[];
}

/** The choice to store for a topic, or the reason of its refusal. `required`: a default forbids opting out. */
export function validateChoice(topicId: string, required: boolean, requested: RequestedChoice): ValidChoice | { reason: string } {
  const { status } = requested;
  if (required && status === 'OPTED_OUT') return { reason: `Topic ${topicId} is REQUIRED: users cannot opt out of it` };
  if (!required && status === 'REQUIRED') {
    return { reason: `Topic ${topicId} is not REQUIRED: status must be OPTED_IN or OPTED_OUT` };
  }
  const custom_routing = channelsOf(requested.custom_routing);
  if (requested.has_custom_routing && custom_routing.length === 0) {
    return {
      reason: `custom_routing for topic ${topicId} must name at least one of ${CHANNEL_CLASSES.join(', ')} where has_custom_routing is true`,
    };
  }
  return {
    status: status === 'REQUIRED' ? null : status,
    has_custom_routing: requested.has_custom_routing ?? custom_routing.length > 0,
    custom_routing,
  };
}

/** The distinct channels; unknown names are ignored. */
export function channelsOf(names: readonly string[] | null | undefined): ChannelClass[] {
  return [...new Set(names)].filter((name): name is ChannelClass => (CHANNEL_CLASSES as readonly string[]).includes(name));
}
