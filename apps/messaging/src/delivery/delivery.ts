import type { Recipient } from '@tidings/providers/recipient';
import type { Rendered } from '@tidings/providers/rendered';
import type { LeafNames } from '../store/leaf-record';
import type { Lane } from '@tidings/contracts/messaging/targets';

/** Time in which a delivery is retried. */
export interface RetryWindow {
  /** Start of the time limit of the message, ms since the epoch. */
  readonly sinceMs: number;
  /** End of the window, ms since the epoch; absent: the default limit of the message. */
  readonly untilMs?: number;
  /** Another route follows, so delays between attempts stay below a minute. */
  readonly hasNext: boolean;
}

/** A delivery whose attempt is open under this process's lease. */
export interface LeasedDelivery extends LeafNames {
  readonly workspaceId: string;
  /** The id that clients see. */
  readonly messageId: string;
  /** The message id in the store. */
  readonly uuid: string;
  readonly leaf: number;
  readonly attempt: number;
  readonly lane: Lane;
  readonly recipient: Recipient;
  readonly rendered: Rendered;
  /** Variables of the message, for receivers that process them. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Overrides of the call by the send. */
  readonly override?: Readonly<Record<string, unknown>>;
  /** Id of the template; empty where the content came with the send. */
  readonly notification: string;
  /** Whether the history already has the DELIVERING event of this delivery. */
  readonly isAnnounced: boolean;
  /** A slot of the provider's rate is reserved for this attempt. */
  readonly hasSlot: boolean;
  /** Whether the message has further steps after this delivery; its open state has them. */
  readonly more: boolean;
  readonly patience: RetryWindow;
  /** Time of rendering, ms since the epoch: the date of the e-mail, equal in every attempt. */
  readonly renderedAt: number;
}
