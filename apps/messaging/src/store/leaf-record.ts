import type { MessageReason } from '@tidings/contracts/messaging/message-states';
import type { ProviderStatus } from '@tidings/contracts/messaging/messages';

/** How far a leaf of a message came. */
export type LeafStatus = 'SIMULATED' | ProviderStatus['status'];

/** How one leaf of a message ended, or how far it came; an entry of the record's `providers`, but where no provider was called. */
export interface LeafRecord extends Omit<ProviderStatus, 'status'> {
  status: LeafStatus;
  /** Of a leaf that failed. Not shown. */
  reason?: MessageReason;
}

/** A leaf as its row names it. */
export interface LeafNames {
  readonly channel: string;
  readonly integration: string;
  readonly provider: string;
}

/** How history events name a leaf. */
export function placeOf({ channel, integration, provider }: LeafNames) {
  return { channel: { id: channel }, integration: { id: integration, provider } };
}

/** How the record of a message names a leaf; `template`: the id of the template, empty where there is none. */
export function leafOf({ channel, provider }: Omit<LeafNames, 'integration'>, template = ''): Pick<LeafRecord, 'channel' | 'provider'> {
  return { channel: { key: channel, template }, provider };
}
