import { CHANNEL_CLASSES, type ChannelClass } from '@tidings/contracts/core/channels';
import { type PreferenceStatus } from '@tidings/contracts/core/preferences';
import type { Choice } from '@tidings/contracts/identity/user-preferences';

/** A choice as a client says it. */
interface AskedChoice {
  status: PreferenceStatus;
  custom_routing?: readonly string[] | null;
  has_custom_routing?: boolean | null;
}

/** A choice as it is kept. */
export interface JudgedChoice {
  /** `null` where only channels were chosen, of a topic that is required. */
  status: Choice | null;
  has_custom_routing: boolean;
  custom_routing: ChannelClass[];
}

/** What to keep of a choice for a topic, or why it is refused. `required`: no default lets people opt out of it. */
export function judgeChoice(topicId: string, required: boolean, asked: AskedChoice): JudgedChoice | { reason: string } {
  const { status } = asked;
  if (required && status === 'OPTED_OUT') return { reason: `Topic ${topicId} is REQUIRED: nobody can opt out of it` };
  if (!required && status === 'REQUIRED') {
    return { reason: `Topic ${topicId} is not REQUIRED: status must be OPTED_IN or OPTED_OUT` };
  }
  const custom_routing = channelsOf(asked.custom_routing);
  if (asked.has_custom_routing && custom_routing.length === 0) {
    return {
      reason: `custom_routing for topic ${topicId} must name at least one of ${CHANNEL_CLASSES.join(', ')} where has_custom_routing is true`,
    };
  }
  return {
    status: status === 'REQUIRED' ? null : status,
    has_custom_routing: asked.has_custom_routing ?? custom_routing.length > 0,
    custom_routing,
  };
}

/** Each once; names that are no channel are passed over. */
export function channelsOf(names: readonly string[] | null | undefined): ChannelClass[] {
  return [...new Set(names)].filter((name): name is ChannelClass => (CHANNEL_CLASSES as readonly string[]).includes(name));
}
