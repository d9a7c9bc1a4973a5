import type { ServiceName } from '@tidings/contracts/core/operation';

/** Possible values of a label: all of them, or a description of a closed set. Never ids, never what clients write. */
type LabelValues = readonly string[] | string;

interface Definition<Name extends string, Label extends string> {
  readonly name: Name;
  /** One line, for `/metrics` and docs/metrics.md. */
  readonly help: string;
  readonly labels: Readonly<Record<Label, LabelValues>>;
  /** Processes that have it; standalone has those of all. */
  readonly processes: readonly ServiceName[];
}

export interface CounterDefinition<Label extends string = string> extends Definition<`tidings_${string}_total`, Label> {
  readonly kind: 'counter';
}

export interface HistogramDefinition<Label extends string = string> extends Definition<`tidings_${string}_seconds`, Label> {
  readonly kind: 'histogram';
  /** Upper bounds of the buckets, in seconds. */
  readonly buckets: readonly number[];
}

/** A value that is read when metrics are scraped. */
export interface GaugeDefinition<Label extends string = string> extends Definition<`tidings_${string}`, Label> {
  readonly kind: 'gauge';
  /** How the values of several sources in one process become one. */
  readonly combine: 'sum' | 'max';
}

export type MetricDefinition<Label extends string = string> =
  CounterDefinition<Label> | HistogramDefinition<Label> | GaugeDefinition<Label>;

/** Values of all labels of a metric. */
export type LabelsOf<Label extends string> = Readonly<Record<Label, string>>;

type Labels<Label extends string> = Readonly<Record<Label, LabelValues>>;

/** What a metric has beside its name. */
interface Given<Label extends string> {
  readonly help: string;
  readonly processes: readonly ServiceName[];
  readonly labels?: Labels<Label>;
}

export function counter<Label extends string = never>(
  name: `tidings_${string}_total`,
  { labels, ...given }: Given<Label>,
): CounterDefinition<Label> {
  return { kind: 'counter', name, labels: labels ?? ({} as Labels<Label>), ...given };
}

export function histogram<Label extends string = never>(
  name: `tidings_${string}_seconds`,
  { labels, ...given }: Given<Label> & Pick<HistogramDefinition, 'buckets'>,
): HistogramDefinition<Label> {
  return { kind: 'histogram', name, labels: labels ?? ({} as Labels<Label>), ...given };
}

export function gauge<Label extends string = never>(
  name: `tidings_${string}`,
  { labels, ...given }: Given<Label> & Pick<GaugeDefinition, 'combine'>,
): GaugeDefinition<Label> {
  return { kind: 'gauge', name, labels: labels ?? ({} as Labels<Label>), ...given };
}
