import { isSuppressionChannel, suppressionAddress, type SuppressionChannel } from '@tidings/contracts/messaging/suppression-address';
import { SUPPRESSION_RULES } from '@tidings/contracts/messaging/suppression-reasons';
import { addressesOf, type Recipient } from '@tidings/providers/recipient';
import { METRICS } from '@tidings/runtime/metric-table';
import { metrics } from '@tidings/runtime/metrics';
import type { FoundSuppression, SuppressionKey } from './suppression-store';

/** `Name <address>`, also where vendors leave the name unquoted. */
const NAMED = /<([^<>]*)>\s*$/;

/** An address of a channel, in any spelling. */
export interface ChannelAddress {
  readonly channel: string;
  readonly address: string;
}

/** Who sends, and what the send passes over. */
interface Sender {
  readonly workspaceId: string;
  readonly passUnsubscribed?: boolean;
}

/** The suppressions among the addresses of a batch. */
export class FoundSuppressions {
  /** @param byAddress by `suppressionName` of the spelling that is stored. */
  constructor(private readonly byAddress: ReadonlyMap<string, FoundSuppression>) {}

  /** What keeps the send from this address; undefined if nothing does. */
  of(sender: Sender, { channel, address }: ChannelAddress): FoundSuppression | undefined {
    if (this.byAddress.size === 0) return undefined;
    const named = spelled({ channel, address });
    const found = named && this.byAddress.get(suppressionName({ workspaceId: sender.workspaceId, ...named }));
    return found && sender.passUnsubscribed && SUPPRESSION_RULES[found.reason].canBePassed ? undefined : found;
  }

  /** The recipient without suppressed push tokens; the suppression where no address is left. */
  applyTo(sender: Sender, recipient: Recipient): Recipient | FoundSuppression {
    if (this.byAddress.size === 0) return recipient;
    const found = routeAddresses(recipient).map((one) => this.of(sender, one));
    const [first] = found;
    if (first && !found.includes(undefined)) return first;
    return recipient.channel === 'push' ? { ...recipient, tokens: recipient.tokens.filter((_token, index) => !found[index]) } : recipient;
  }
}

/** The addresses of a recipient with their channel. */
export function routeAddresses(recipient: Recipient): ChannelAddress[] {
  return addressesOf(recipient).map((address) => ({ channel: recipient.channel, address }));
}

export const NOTHING_SUPPRESSED = new FoundSuppressions(new Map());

/** Whether a suppression was found, instead of what is left of a recipient or a delivery. */
export function isSuppression(one: object): one is FoundSuppression {
  return 'reason' in one;
}

/**
 * The address in its one spelling, an e-mail address without its name; undefined for what is no address, or on a channel without
 * suppressions.
 */
export function spelled({ channel, address }: ChannelAddress): Pick<SuppressionKey, 'channel' | 'address'> | undefined {
  const text = channel === 'email' ? (NAMED.exec(address)?.[1] ?? address) : address;
  const spelling = isSuppressionChannel(channel) ? suppressionAddress(channel, text) : undefined;
  return spelling === undefined ? undefined : { channel: channel as SuppressionChannel, address: spelling };
}

/** A key of `FoundSuppressions`. */
export function suppressionName({ workspaceId, channel, address }: SuppressionKey): string {
  return `${workspaceId} ${channel} ${address}`;
}

const SUPPRESSED = metrics.counter(METRICS.suppressed);

/** The failure of a route whose address is suppressed, as history and record show it; counted. The address itself is not in it. */
export function suppressionFailure({ channel, reason, source, createdAt }: FoundSuppression) {
  SUPPRESSED.inc({ channel, reason });
  const rule: { reason: 'BOUNCED' | 'UNSUBSCRIBED'; reasonCode?: 'HARD' } = SUPPRESSION_RULES[reason];
  const error = `The address is suppressed: ${reason} since ${createdAt.toISOString()}, reported by ${source}`;
  return { error, reason: rule.reason, reasonCode: rule.reasonCode, why: { code: 'suppressed', reason } as const };
}
