import { collectDefaultMetrics, Counter, Histogram, type Metric, Registry } from 'prom-client';

interface Definition<Name extends string, Label extends string> {
  name: Name;
  help: string;
  labels?: readonly Label[];
}

interface HistogramDefinition<Label extends string> extends Definition<`tidings_${string}_seconds`, Label> {
  /** Upper bounds of the buckets, in seconds. */
  buckets: readonly number[];
}

/** The metrics of a process. */
export class Metrics {
  readonly registry = new Registry();

  /**
   * The counter of a name, made at its first use, so several services in one process, and one started twice, count together. Label
   * values come from closed sets: never ids, never client input.
   */
  counter<Label extends string = never>({ name, help, labels = [] }: Definition<`tidings_${string}_total`, Label>): Counter<Label> {
    return this.existing<Counter<Label>>(name) ?? new Counter({ name, help, labelNames: labels, registers: [this.registry] });
  }

  /** The histogram of a name, as `counter`. */
  histogram<Label extends string = never>({ name, help, labels = [], buckets }: HistogramDefinition<Label>): Histogram<Label> {
    const definition = { name, help, labelNames: labels, buckets: [...buckets], registers: [this.registry] };
    return this.existing<Histogram<Label>>(name) ?? new Histogram(definition);
  }

  /** Of the kind of its name's ending; every other metric has another prefix. */
  private existing<Kind extends Metric>(name: string) {
    return this.registry.getSingleMetric(name) as Kind | undefined;
  }
}

/** The metrics of this process. */
export const metrics = new Metrics();

/** Adds memory, CPU, garbage collection and event loop of this process; values are computed when they are scraped. */
export function collectProcessMetrics() {
  // The library's default of 10 ms would keep an idle process busy.
  collectDefaultMetrics({ register: metrics.registry, eventLoopMonitoringPrecision: 1_000 });
}
