import type { MessageReason } from '@tidings/contracts/messaging/message-states';
import type { ProviderStatus } from '@tidings/contracts/messaging/messages';

/** Status of a leaf of a message. */
export type LeafStatus = 'SIMULATED' | ProviderStatus['status'];

/** State or end of one leaf; an entry of the record's `providers`, except where no provider was called. */
export interface LeafRecord extends Omit<ProviderStatus, 'status'> {
  status: LeafStatus;
  /** Of a leaf that failed. Not shown. */
  reason?: MessageReason;
}

/** The columns that identify a leaf. */
export interface LeafNames {
  readonly channel: string;
  readonly integration: string;
  readonly provider: string;
}

/** The fields that identify a leaf in history events. */
export function leafFields({ channel, integration, provider }: LeafNames) {
  return { channel: { id: channel }, integration: { id: integration, provider } };
}

/** The fields that identify a leaf in the record of a message; `template` is the id of the template, empty without one. */
export function leafOf({ channel, provider }: Omit<LeafNames, 'integration'>, template = ''): Pick<LeafRecord, 'channel' | 'provider'> {
  return { channel: { key: channel, template }, provider };
}
