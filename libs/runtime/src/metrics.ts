import { collectDefaultMetrics, Counter, Registry } from 'prom-client';

interface CounterDefinition<Label extends string> {
  name: `tidings_${string}_total`;
  help: string;
  labels?: readonly Label[];
}

/** The metrics of a process. */
export class Metrics {
  readonly registry = new Registry();

  /**
   * The counter of a name, made at its first use, so several services in one process, and one started twice, count together. Label
   * values come from closed sets: never ids, never client input.
   */
  counter<Label extends string = never>({ name, help, labels = [] }: CounterDefinition<Label>): Counter<Label> {
    const existing = this.registry.getSingleMetric(name) as Counter<Label> | undefined; // every other metric has another prefix
    return existing ?? new Counter({ name, help, labelNames: labels, registers: [this.registry] });
  }
}

/** The metrics of this process. */
export const metrics = new Metrics();

/** Adds memory, CPU, garbage collection and event loop of this process; values are computed when they are scraped. */
export function collectProcessMetrics() {
  // The library's default of 10 ms would keep an idle process busy.
  collectDefaultMetrics({ register: metrics.registry, eventLoopMonitoringPrecision: 1_000 });
}
