import type { Recipient } from '@tidings/providers/recipient';
import type { Rendered } from '@tidings/providers/rendered';
import type { LeafNames } from '../store/leaf-record';
import type { Lane } from '@tidings/contracts/messaging/targets';

/** How long a provider is tried. */
export interface RetryWindow {
  /** From when the time limit of the message counts, ms since the epoch. */
  readonly sinceMs: number;
  /** When to give up, ms since the epoch; absent: at the usual limit of the message. */
  readonly untilMs?: number;
  /** Something else is tried then, so the hours between attempts are not waited for. */
  readonly hasNext: boolean;
}

/** A delivery whose attempt is open under this process's lease. */
export interface LeasedDelivery extends LeafNames {
  readonly workspaceId: string;
  /** As clients know it. */
  readonly messageId: string;
  /** The message id as the store keeps it. */
  readonly uuid: string;
  readonly leaf: number;
  readonly attempt: number;
  readonly lane: Lane;
  readonly recipient: Recipient;
  readonly rendered: Rendered;
  /** Variables of the message, for receivers that do more with them than show them. */
  readonly data: Readonly<Record<string, unknown>>;
  /** What the send changes of the call itself. */
  readonly override?: Readonly<Record<string, unknown>>;
  /** Id of the template; empty where the content came with the send. */
  readonly notification: string;
  /** Whether the history tells already that the provider is called. */
  readonly isAnnounced: boolean;
  /** A slot of the provider's rate was kept for this attempt. */
  readonly hasSlot: boolean;
  /** Whether the message goes on when it ends, as its open state says. */
  readonly more: boolean;
  readonly patience: RetryWindow;
  /** When it was rendered, ms since the epoch: the date of the e-mail, the same in every attempt. */
  readonly renderedAt: number;
}
