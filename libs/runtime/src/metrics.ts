import { Counter, Gauge, Histogram, type HistogramConfiguration, Registry, collectDefaultMetrics } from 'prom-client';

/** Sampling interval of the event loop's delay; the library's default of 10 ms would keep an idle process busy. */
const EVENT_LOOP_SAMPLE_MS = 1_000;

/** Upper bounds of durations, in seconds: from an access in memory to a deadline. */
const DURATION_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface MetricDefinition<Label extends string> {
  /** `tidings_…`, with the unit last and `_total` for counters. */
  name: `tidings_${string}`;
  help: string;
  labels?: readonly Label[];
}

/**
 * The metrics of a process. An existing name returns the existing metric, so several services in one process, and one started
 * twice, count together. Label values come from closed sets: never ids, never client input.
 */
export class Metrics {
  readonly registry = new Registry();

  counter<Label extends string = never>(definition: MetricDefinition<Label>): Counter<Label> {
    return this.metric(Counter<Label>, definition);
  }

  gauge<Label extends string = never>(definition: MetricDefinition<Label>): Gauge<Label> {
    return this.metric(Gauge<Label>, definition);
  }

  /** `buckets` default to durations in seconds. */
  histogram<Label extends string = never>(
    definition: MetricDefinition<Label>,
    buckets: readonly number[] = DURATION_BUCKETS_S,
  ): Histogram<Label> {
    return this.metric(Histogram<Label>, definition, { buckets: [...buckets] });
  }

  private metric<Label extends string, Metric>(
    kind: new (settings: Omit<HistogramConfiguration<Label>, 'collect'>) => Metric,
    { name, help, labels = [] }: MetricDefinition<Label>,
    settings: { buckets?: number[] } = {},
  ) {
    const existing: unknown = this.registry.getSingleMetric(name);
    if (existing === undefined) return new kind({ name, help, labelNames: labels, registers: [this.registry], ...settings });
    if (!(existing instanceof kind)) throw new Error(`Metric ${name} is already registered as another kind`);
    return existing;
  }
}

/** The metrics of this process. */
export const metrics = new Metrics();

let collecting = false;

/** Adds memory, CPU, garbage collection and event loop of this process; values are computed when they are scraped. */
export function collectProcessMetrics() {
  if (collecting) return;
  collecting = true;
  collectDefaultMetrics({ register: metrics.registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
}
