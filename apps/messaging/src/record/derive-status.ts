import type { MessageStatus } from '@tidings/contracts/messaging/message-states';
import type { LeafRecord } from './leaf-record';
import { earliest } from './routing-tree';
import type { MessageStep } from './step-store';

/** The columns of a message's row that its leaves decide. */
type DerivedStatus = Pick<MessageStep, 'status' | 'reason' | 'error' | 'sent_at' | 'delivered_at'>;

/** A change of a message's status. Times are ms since the epoch. */
export interface StatusChange {
  readonly workspaceId: string;
  /** Absent: the message is new. */
  readonly before?: MessageStatus;
  readonly after: MessageStatus;
  readonly atMs: number;
  /** Its acceptance, or the end of its delay. */
  readonly sinceMs: number;
}

/** Stages of a message, in their order; it never goes back. */
export const STAGES: readonly MessageStatus[] = ['ENQUEUED', 'DELAYED', 'ROUTED', 'SIMULATED', 'SENT', 'DELIVERED', 'OPENED', 'CLICKED'];

/** Whether a status is this stage or a later one. */
export function hasReached(status: MessageStatus, stage: MessageStatus): boolean {
  return STAGES.indexOf(status) >= STAGES.indexOf(stage);
}

/**
 * The status of a message, from its leaves in the order in which they ended. Pure.
 *
 * - The status is the furthest stage of any leaf; each time is the earliest over all leaves.
 * - UNDELIVERABLE only when no leaf is in progress and every leaf failed, including one that was sent and bounced later; `reason` and `error`
 *   are then those of the leaf that failed last, and absent otherwise.
 * - While a leaf is in progress and none was sent, the status stays.
 */
export function deriveStatus(current: MessageStatus, leaves: readonly LeafRecord[], isInProgress: boolean): DerivedStatus {
  const times = {
    sent_at: earliest(leaves.flatMap(({ sent }) => sent ?? [])),
    delivered_at: earliest(leaves.flatMap(({ delivered }) => delivered ?? [])),
  };
  const reached = leaves.flatMap(({ status }) => (status === 'UNDELIVERABLE' ? [] : [status]));
  const furthest = Math.max(...[...reached, current].map((status) => STAGES.indexOf(status)));
  if (reached.length > 0) return { status: STAGES[furthest]!, ...times };
  const last = leaves.at(-1);
  if (isInProgress || !last) return { status: current, ...times };
  return { status: 'UNDELIVERABLE', reason: last.reason, error: last.error, ...times };
}
