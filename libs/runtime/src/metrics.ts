import { withTimeout } from '@tidings/contracts/core/with-timeout';
import { collectDefaultMetrics, Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import type { CounterDefinition, GaugeDefinition, HistogramDefinition, LabelsOf, MetricDefinition } from './metric-definition';

/** A scrape waits so long for a source of a gauge, in ms; then it shows the last values. */
const READ_MS_MAX = 2_000;

/** One value of a gauge. */
export interface Sample<Label extends string> {
  readonly labels: LabelsOf<Label>;
  readonly value: number;
}

/** A source of a gauge's values. While it cannot be read its last values stay. */
class Source<Label extends string> {
  private samples: readonly Sample<Label>[] = [];
  private readAt = -Infinity;
  private reading?: Promise<void>;

  constructor(
    private readonly read: () => readonly Sample<Label>[] | Promise<readonly Sample<Label>[]>,
    private readonly intervalMs: number,
  ) {}

  async values() {
    if (this.intervalMs === 0 || performance.now() - this.readAt >= this.intervalMs) {
      this.reading ??= this.refresh().finally(() => (this.reading = undefined));
      await withTimeout(READ_MS_MAX, this.reading);
    }
    return this.samples;
  }

  private async refresh() {
    this.readAt = performance.now();
    try {
      this.samples = await this.read();
    } catch {
      // Readiness and the logs of the source name the reason.
    }
  }
}

/** A gauge whose values are read when it is scraped. */
class ReadGauge<Label extends string> extends Gauge<Label> {
  private readonly sources = new Set<Source<Label>>();
  private readonly announced: LabelsOf<Label>[] = [];

  constructor(
    private readonly definition: GaugeDefinition<Label>,
    registry: Registry,
  ) {
    super({
      name: definition.name,
      help: definition.help,
      labelNames: Object.keys(definition.labels) as Label[],
      registers: [registry],
      collect: () => this.collectSources(),
    });
  }

  announce(labels: LabelsOf<Label>) {
    if (this.announced.every((one) => keyOf(one) !== keyOf(labels))) this.announced.push(labels);
  }

  add(source: Source<Label>) {
    this.sources.add(source);
    return () => void this.sources.delete(source);
  }

  private async collectSources() {
    const all = (await Promise.all([...this.sources].map((source) => source.values()))).flat();
    const samples = new Map<string, Sample<Label>>(this.announced.map((labels) => [keyOf(labels), { labels, value: 0 }]));
    for (const { labels, value } of all) {
      const other = samples.get(keyOf(labels))?.value ?? 0;
      samples.set(keyOf(labels), { labels, value: this.definition.combine === 'sum' ? other + value : Math.max(other, value) });
    }
    this.reset();
    for (const { labels, value } of samples.values()) this.set(labels, value);
  }
}

/** The metrics of a process. */
export class Metrics {
  readonly registry = new Registry();
  private readonly announcedSeries = new Set<string>();

  /**
   * The counter of a definition, made at its first use, so several services in one process, and one started twice, count together.
   * Series whose labels have known values are announced with 0.
   */
  counter<Label extends string>(definition: CounterDefinition<Label>): Counter<Label> {
    return this.existing(definition, (settings) => new Counter(settings));
  }

  /** The histogram of a definition, as `counter`. */
  histogram<Label extends string>(definition: HistogramDefinition<Label>): Histogram<Label> {
    return this.existing(definition, (settings) => new Histogram({ ...settings, buckets: [...definition.buckets] }));
  }

  /** Makes the metric, so that it is shown before something uses it. */
  show(definition: MetricDefinition): void {
    if (definition.kind === 'counter') this.counter(definition);
    else if (definition.kind === 'histogram') this.histogram(definition);
    else this.gauge(definition);
  }

  /** Shows a series with 0 until it has a value. Announcing it again changes nothing. */
  announce<Label extends string>(definition: MetricDefinition<Label>, labels: LabelsOf<Label>): void {
    const series = `${definition.name} ${keyOf(labels)}`;
    if (this.announcedSeries.has(series)) return;
    this.announcedSeries.add(series);
    if (definition.kind === 'counter') this.counter(definition).inc(labels, 0);
    else if (definition.kind === 'histogram') this.histogram(definition).zero(labels);
    else this.gauge(definition).announce(labels);
  }

  /**
   * Adds a source of a gauge. It is read by a scrape, but not again within `intervalMs`, and a scrape waits for it 2 s at most.
   * Returns the function that removes the source.
   */
  read<Label extends string>(
    definition: GaugeDefinition<Label>,
    read: () => readonly Sample<Label>[] | Promise<readonly Sample<Label>[]>,
    intervalMs = 0,
  ): () => void {
    return this.gauge(definition).add(new Source(read, intervalMs));
  }

  /** As `read`, of a gauge without labels. */
  readValue(definition: GaugeDefinition<never>, read: () => number | Promise<number>, intervalMs = 0): () => void {
    return this.read(definition, async () => [{ labels: {}, value: await read() }], intervalMs);
  }

  private gauge<Label extends string>(definition: GaugeDefinition<Label>): ReadGauge<Label> {
    return this.existing(definition, () => new ReadGauge(definition, this.registry));
  }

  /** A name has one definition, so one kind. */
  private existing<Label extends string, Kind extends Metric<Label>>(
    definition: MetricDefinition<Label>,
    make: (settings: { name: string; help: string; labelNames: Label[]; registers: Registry[] }) => Kind,
  ): Kind {
    const { name, help, labels } = definition;
    const present = this.registry.getSingleMetric(name) as Kind | undefined;
    if (present) return present;
    const made = make({ name, help, labelNames: Object.keys(labels) as Label[], registers: [this.registry] });
    for (const one of combinationsOf(labels)) this.announce(definition, one as LabelsOf<Label>);
    return made;
  }
}

function keyOf(labels: object) {
  return JSON.stringify(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** All combinations of the labels' values; none where the values of a label are not listed. */
function combinationsOf(labels: MetricDefinition['labels']): Record<string, string>[] {
  let combinations: Record<string, string>[] = [{}];
  for (const [name, values] of Object.entries(labels)) {
    if (typeof values === 'string') return [];
    combinations = combinations.flatMap((one) => values.map((value) => ({ ...one, [name]: value })));
  }
  return combinations;
}

/** The metrics of this process. */
export const metrics = new Metrics();

/** Adds memory, CPU, garbage collection and event loop of this process; values are computed when they are scraped. */
export function collectProcessMetrics() {
  // The library's default of 10 ms would keep an idle process busy.
  collectDefaultMetrics({ register: metrics.registry, eventLoopMonitoringPrecision: 1_000 });
}
