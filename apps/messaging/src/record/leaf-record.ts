import type { MessageReason } from '@tidings/contracts/messaging/message-states';
import type { ProviderStatus } from '@tidings/contracts/messaging/messages';

/** Status of a leaf of a message. */
export type LeafStatus = 'SIMULATED' | NonNullable<ProviderStatus['status']>;

/** State or end of one leaf; an entry of the record's `providers`, except where no provider was called. */
export interface LeafRecord extends Omit<ProviderStatus, 'channel' | 'status' | 'next_attempt'> {
  /** The template is the message's; older records repeat it. */
  channel: { key: string };
  status: LeafStatus;
  /** Absent where it is one. */
  attempts?: number;
  /** Of a leaf that failed. Not shown. */
  reason?: MessageReason;
  /** What its provider reported after accepting it. Not shown. */
  failure?: ReportedFailure;
  /** References of the delivered parts of a text, while others are missing. Not shown. */
  deliveredParts?: readonly string[];
}

/** Why a provider did not deliver what it had accepted. */
export interface ReportedFailure {
  readonly reason: 'BOUNCED' | 'FAILED' | 'UNSUBSCRIBED';
  readonly reasonCode?: 'HARD' | 'SOFT';
  readonly error: string;
}

type LeafFields = Pick<LeafRecord, 'channel' | 'provider' | 'configuration_id' | 'alias'>;

/** The columns that identify a leaf. */
export interface LeafNames {
  readonly channel: string;
  readonly integration: string;
  readonly provider: string;
  /** Alias of the configuration. */
  readonly alias?: string;
}

/** The fields that identify a leaf in history events. */
export function leafFields({ channel, integration, provider }: LeafNames) {
  return { channel: { id: channel }, integration: { id: integration, provider } };
}

/** The fields that identify a leaf in the stored record of a message. */
export function leafOf({
  channel,
  provider,
  integration,
  alias,
}: Pick<LeafNames, 'channel' | 'provider'> & Partial<LeafNames>): LeafFields {
  return { channel: { key: channel }, provider, configuration_id: integration, alias };
}

/** Why no call was made, with the error of the last of the calls before, if there was any. */
export function withLastError(error: string, attempts: number, lastError: string | null | undefined): string {
  if (!lastError) return error;
  return `${error}; the ${attempts === 1 ? 'only attempt' : `last of ${attempts} attempts`}: ${lastError}`;
}
