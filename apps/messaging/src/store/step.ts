import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { MessageReason, MessageStatus } from '@tidings/contracts/messaging/message-states';
import { type Lane, LANES } from '@tidings/contracts/messaging/targets';
import type { Escalation } from '@tidings/contracts/messaging/timing/timeouts';
import type { RoutingTree } from '../routing/tree/routing-tree';
import type { LeafRecord } from './leaf-record';

/**
 * What a message that is not finished waits for. `parked`: its turn. `long`: a thread, because its rendering takes long. `delayed`:
 * the time its sender gave. `routed`: what becomes of the ways that were started.
 */
export type Stage = 'parked' | 'long' | 'delayed' | 'routed';

/** How urgent, as rows keep it; the contract says what it is called. */
const LANE_NUMBERS: Readonly<Record<Lane, number>> = { critical: 0, normal: 1, bulk: 2 };

export function laneNumber(lane: Lane): number {
  return LANE_NUMBERS[lane];
}

export function laneOf(number: number): Lane {
  return LANES.find((lane) => LANE_NUMBERS[lane] === number) ?? 'normal';
}

/** Kept with a message that has more before it than the ends of its open deliveries. */
export interface OpenState {
  stage: Stage;
  /** ms since the epoch; absent: only something that happens takes it on. */
  dueMs?: number;
  lane: Lane;
  /** From `routed` on. */
  tree?: RoutingTree;
  /** How the leaves ended that ended. */
  records?: readonly LeafRecord[];
  /** Its delay is over, so whoever takes it up begins behind it. */
  isDue?: true;
  /** When the next way is tried although one took the message; absent also once the recipient reacted. */
  escalation?: Escalation;
}

/** A delivery that a step opens. */
interface NewDelivery {
  leaf: number;
  channel: string;
  integration: string;
  provider: string;
  lane: Lane;
  /** It begins leased by this process, its first attempt open; otherwise it waits for the lease query. */
  held: boolean;
  /** Whether the message goes on when it ends, as its open state says. */
  more: boolean;
  /** From when the time limit of the message counts, ms since the epoch. */
  since_ms: number;
}

/** What one step of the pipeline makes of a message, in one commit. */
export interface MessageStep {
  workspaceId: string;
  /** The message id as the store keeps it. */
  uuid: string;
  /** The turn in which its open state was taken up; absent for a message that is not stored yet. */
  generation?: number;
  status: MessageStatus;
  /** What a message is made with; a later step may leave out what stays. */
  recipient?: string;
  event?: string;
  notification?: string;
  enqueuedAt?: number;
  reason?: MessageReason;
  error?: string;
  tags?: readonly string[];
  traceId?: string;
  requestId?: string;
  listId?: string;
  tenantId?: string;
  jobId?: string;
  idempotencyKey?: string;
  providers?: readonly LeafRecord[];
  sentAt?: number;
  deliveredAt?: number;
  /** When the last of `events` happened, ms since the epoch. */
  at: number;
  events: readonly HistoryEvent[];
  deliveries: readonly NewDelivery[];
  /** `null`: nothing is left to wait for but the ends of its deliveries. */
  open: OpenState | null;
}
