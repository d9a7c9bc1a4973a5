import { IsIn } from 'class-validator';
import { Int, IsListOf } from '../core/fields';

/** Every event type of a message's history. */
export const HISTORY_TYPES = [
  'ENQUEUED',
  'MAPPED',
  'UNMAPPED',
  'PROFILE_LOADED',
  'THROTTLED',
  'DELAYED',
  'DIGESTED',
  'FILTERED',
  'ROUTED',
  'UNROUTABLE',
  'RENDERED',
  'DELIVERING',
  'SIMULATED',
  'SENT',
  'DELIVERED',
  'UNDELIVERABLE',
  'OPENED',
  'CLICKED',
  'CANCELED',
] as const;
export type HistoryType = (typeof HISTORY_TYPES)[number];

/** An event of a message's history; the fields beside `ts` and `type` depend on the type. */
export class HistoryEvent {
  /** When it happened, ms since the epoch; never lower than that of the event before. @example 1772359200050 */
  @Int ts: number;

  /** What happened; the other fields depend on it. @example "SENT" */
  @IsIn(HISTORY_TYPES) type: HistoryType;

  [field: string]: unknown;
}

export class MessageHistory {
  /** The events, in order. */
  @IsListOf(HistoryEvent) results: HistoryEvent[];
}
