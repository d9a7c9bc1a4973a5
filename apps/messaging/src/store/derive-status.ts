import type { MessageStatus } from '@tidings/contracts/messaging/message-states';
import type { LeafRecord } from './leaf-record';
import type { MessageStep } from './step';

/** The columns of a message's row that its leaves decide. */
type DerivedStatus = Pick<MessageStep, 'status' | 'reason' | 'error' | 'sent_at' | 'delivered_at'>;

/** Stages of a message, in their order; it never goes back. */
const STAGES = ['ENQUEUED', 'DELAYED', 'ROUTED', 'SIMULATED', 'SENT', 'DELIVERED', 'OPENED', 'CLICKED'] as const;
type Stage = (typeof STAGES)[number];

/**
 * The status of a message, from its leaves in the order in which they ended. Pure.
 *
 * - The status is the furthest stage of any leaf; each time is the earliest over all leaves.
 * - UNDELIVERABLE only when no leaf is under way and every leaf failed, including one that was sent and bounced later; `reason` and `error`
 *   are then those of the leaf that failed last, and absent otherwise.
 * - While a leaf is under way and none was sent, the status stays.
 */
export function deriveStatus(current: MessageStatus, leaves: readonly LeafRecord[], isUnderWay: boolean): DerivedStatus {
  const times = { sent_at: earliest(leaves, 'sent'), delivered_at: earliest(leaves, 'delivered') };
  const reached = leaves.flatMap(({ status }) => (status === 'UNDELIVERABLE' ? [] : [status]));
  const before = isStage(current) ? current : 'ENQUEUED';
  if (reached.length > 0) return { status: furthest([...reached, before]), ...times };
  const last = leaves.at(-1);
  if (isUnderWay || !last) return { status: current, ...times };
  return { status: 'UNDELIVERABLE', reason: last.reason, error: last.error, ...times };
}

function earliest(leaves: readonly LeafRecord[], stage: 'sent' | 'delivered'): number | undefined {
  const times = leaves.flatMap((leaf) => leaf[stage] ?? []);
  return times.length > 0 ? Math.min(...times) : undefined;
}

function furthest(stages: readonly Stage[]): Stage {
  return STAGES[Math.max(...stages.map((stage) => STAGES.indexOf(stage)))]!;
}

function isStage(status: MessageStatus): status is Stage {
  return (STAGES as readonly string[]).includes(status);
}
