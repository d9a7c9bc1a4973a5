import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { MessageReason, MessageStatus } from '@tidings/contracts/messaging/message-states';
import { type Lane, LANES } from '@tidings/contracts/messaging/targets';
import type { Escalation } from '@tidings/contracts/messaging/timing/timeouts';
import type { RoutingTree } from '../routing/tree/routing-tree';
import type { LeafRecord } from './leaf-record';

/**
 * What an unfinished message waits for. `parked`: its round-robin share. `long`: a thread, because its rendering takes long. `delayed`:
 * the time that its sender set. `routed`: the outcomes of the routes that were started.
 */
export type Stage = 'parked' | 'long' | 'delayed' | 'routed';

/** Lanes as rows store them, the most urgent first. */
const LANE_NUMBERS: Readonly<Record<Lane, number>> = { critical: 0, normal: 1, bulk: 2 };

export function laneNumber(lane: Lane): number {
  return LANE_NUMBERS[lane];
}

export function laneOf(number: number): Lane {
  return LANES.find((lane) => LANE_NUMBERS[lane] === number) ?? 'normal';
}

/** State of a message that has further steps after its open deliveries. */
export interface OpenState {
  stage: Stage;
  /** ms since the epoch; absent: the next step starts with an event. */
  dueMs?: number;
  lane: Lane;
  /** From `routed` on. */
  tree?: RoutingTree;
  /** The leaves that have ended. */
  records?: readonly LeafRecord[];
  /** Its delay has passed; the pipeline resumes after it. */
  isDue?: true;
  /** When the next route is used although a provider accepted the message; absent also once the recipient reacted. */
  escalation?: Escalation;
}

/** A delivery that a step opens. */
interface NewDelivery {
  leaf: number;
  channel: string;
  integration: string;
  provider: string;
  lane: Lane;
  /** Inserted as leased by this process, with its first attempt open; otherwise it waits for the lease query. */
  held: boolean;
  /** Whether the message has further steps after it; its open state has them. */
  more: boolean;
  /** Start of the time limit of the message, ms since the epoch. */
  since_ms: number;
}

/** The result of one pipeline step of a message, stored in one commit. */
export interface MessageStep {
  workspaceId: string;
  /** The message id in the store. */
  uuid: string;
  /** Generation of the claimed open state; absent for a message that is not stored yet. */
  generation?: number;
  /** From here on columns of `messages`, those up to `idempotency_key` of a new message; a later step omits those that stay. */
  status: MessageStatus;
  recipient?: string;
  event?: string;
  notification?: string;
  enqueued_at?: number;
  reason?: MessageReason;
  error?: string;
  tags?: readonly string[];
  trace_id?: string;
  request_id?: string;
  list_id?: string;
  tenant_id?: string;
  job_id?: string;
  idempotency_key?: string;
  providers?: readonly LeafRecord[];
  sent_at?: number;
  delivered_at?: number;
  /** Time of the last of `events`, ms since the epoch. */
  at: number;
  events: readonly HistoryEvent[];
  deliveries: readonly NewDelivery[];
  /** `null`: no further steps after its deliveries. */
  open: OpenState | null;
}
