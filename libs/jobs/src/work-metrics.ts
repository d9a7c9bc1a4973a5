import { METRICS } from '@tidings/runtime/metric-table';
import { metrics } from '@tidings/runtime/metrics';
import type { Counter } from 'prom-client';

const CLAIMED = metrics.counter(METRICS.workClaimed);
const RECOVERED = metrics.counter(METRICS.workRecovered);
const LATE = metrics.histogram(METRICS.workLate);
const COMPLETED = metrics.counter(METRICS.workCompleted);
const FAILED = metrics.counter(METRICS.workFailed);
const DURATION = metrics.histogram(METRICS.workDuration);

/** A claimed row. The fields that its statement does not return are not counted. */
export interface CountedRow {
  /** An earlier claim had not ended with its lease. */
  readonly orphaned?: boolean;
  /** How long it had been due, in ms. */
  readonly late_ms?: number;
}

/** Counts the claims of a queue. */
class ClaimMetrics {
  private readonly claimed = announced(CLAIMED, this.queue);
  private readonly recovered = announced(RECOVERED, this.queue);

  constructor(private readonly queue: string) {}

  claim(rows: readonly CountedRow[]): void {
    if (rows.length === 0) return;
    this.claimed.inc(rows.length);
    this.recovered.inc(rows.filter(({ orphaned }) => orphaned).length);
    const lateMs = rows.flatMap(({ late_ms }) => late_ms ?? []);
    if (lateMs.length > 0) LATE.observe({ queue: this.queue }, Math.max(0, ...lateMs) / 1_000);
  }
}

/** Counts the ends of a queue's work. */
class WorkMetrics {
  private readonly completed = announced(COMPLETED, this.queue);
  private readonly failed = announced(FAILED, this.queue);

  constructor(private readonly queue: string) {
    DURATION.zero({ queue });
  }

  /** Counts work on `rows` rows, or one step, that began at `since` by `performance.now()`. */
  end(isCompleted: boolean, rows: number, since: number): void {
    (isCompleted ? this.completed : this.failed).inc(rows);
    DURATION.observe({ queue: this.queue }, (performance.now() - since) / 1_000);
  }
}

export type { ClaimMetrics, WorkMetrics };

// Announced at the first use of a queue's name, which the code contains (`messaging.expansions`). A second service of the process, or
// one started again, counts on: announcing a histogram twice would reset it.
export const claimMetrics = once((queue) => new ClaimMetrics(queue));
export const workMetrics = once((queue) => new WorkMetrics(queue));
export const announceLateness = once((queue) => LATE.zero({ queue }));

function once<Made>(make: (queue: string) => Made) {
  const made = new Map<string, { readonly value: Made }>();
  return (queue: string): Made => {
    const { value } = made.get(queue) ?? { value: make(queue) };
    made.set(queue, { value });
    return value;
  };
}

function announced(counter: Counter<'queue'>, queue: string) {
  const ofQueue = counter.labels({ queue });
  ofQueue.inc(0);
  return ofQueue;
}
