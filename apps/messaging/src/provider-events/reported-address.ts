import type { ProviderEventReported } from '@tidings/contracts/messaging/provider-events';
import { mergedProfile } from '../record/stored-events';
import { spelled } from '../suppressions/found-suppressions';
import type { AddressingStep } from './event-store';

/** To whom a configuration sent a message. */
export interface SentTo {
  /** Absent on channels without one address. */
  readonly address?: string;
  /** An e-mail that others got as well. */
  readonly hasCopies: boolean;
}

/** Of a report without an address, those that may be about a copy. */
const OF_ONE_ADDRESS: readonly ProviderEventReported['kind'][] = ['BOUNCED', 'COMPLAINED', 'UNSUBSCRIBED'];

/** To whom a configuration sent the message, from its stored steps; undefined where they are removed or erased. */
export function sentBy(steps: readonly AddressingStep[], configurationId: string): SentTo | undefined {
  for (const events of [...steps].reverse()) {
    for (const event of events) {
      if (event.type !== 'RENDERED' || event.integration !== configurationId) continue;
      const { channel, address, hasCopies } = event;
      return { address: channel === null ? emailIn(events, steps) : (address ?? undefined), hasCopies };
    }
  }
  return undefined;
}

/** A rendering without a recipient went to the address of the profile that its step loaded. */
function emailIn(events: AddressingStep, steps: readonly AddressingStep[]): string | undefined {
  const received = steps[0]?.find(({ type }) => type === 'ENQUEUED');
  const loaded = events.find(({ type }) => type === 'PROFILE_LOADED');
  const given = received?.type === 'ENQUEUED' ? received.profile : {};
  const profile = loaded?.type === 'PROFILE_LOADED' ? mergedProfile(loaded.stored_profile, loaded.received_profile ?? given) : given;
  return typeof profile.email === 'string' ? profile.email : undefined;
}

/**
 * Whether an event is about the address that the message was sent to: vendors report of its copies, too. Without copies it is, however the
 * address is spelled.
 */
export function isAbout({ kind, address: reported }: ProviderEventReported, sentTo: SentTo | undefined): boolean {
  if (!sentTo?.hasCopies) return true;
  if (reported === undefined) return !OF_ONE_ADDRESS.includes(kind);
  return sentTo.address === undefined || emailOf(reported) === emailOf(sentTo.address);
}

function emailOf(address: string) {
  return spelled({ channel: 'email', address })?.address ?? address;
}
