import type { MessageReason, MessageStatus } from '@tidings/contracts/messaging/message-states';
import type { LeafRecord } from './leaf-record';

/** The fields of a message's record that its leaves decide. */
interface DerivedStatus {
  status: MessageStatus;
  reason?: MessageReason;
  error?: string;
  sent?: number;
  delivered?: number;
  opened?: number;
  clicked?: number;
}

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
  const times = {
    ...earliest(leaves, 'sent'),
    ...earliest(leaves, 'delivered'),
    ...earliest(leaves, 'opened'),
    ...earliest(leaves, 'clicked'),
  };
  const reached = leaves.flatMap(({ status }) => (status === 'UNDELIVERABLE' ? [] : [status]));
  const before = isStage(current) ? current : 'ENQUEUED';
  if (reached.length > 0) return { status: furthest([...reached, before]), ...times };
  const last = leaves.at(-1);
  if (isUnderWay || !last) return { status: current, ...times };
  return { status: 'UNDELIVERABLE', ...(last.reason && { reason: last.reason }), ...(last.error && { error: last.error }), ...times };
}

type TimeOfStage = 'sent' | 'delivered' | 'opened' | 'clicked';

function earliest(leaves: readonly LeafRecord[], stage: TimeOfStage): Partial<Record<TimeOfStage, number>> {
  const times = leaves.flatMap((leaf) => leaf[stage] ?? []);
  return times.length > 0 ? { [stage]: Math.min(...times) } : {};
}

function furthest(stages: readonly Stage[]): Stage {
  return STAGES[Math.max(...stages.map((stage) => STAGES.indexOf(stage)))]!;
}

function isStage(status: MessageStatus): status is Stage {
  return (STAGES as readonly string[]).includes(status);
}
