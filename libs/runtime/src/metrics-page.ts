import { listItem } from '@tidings/contracts/core/list-item';
import type { MetricDefinition } from './metric-definition';
import { METRICS } from './metric-table';

/** The list of our metrics in docs/metrics.md. */
export function metricsList(): string {
  return Object.values(METRICS)
    .map((metric) => listItem(describe(metric)))
    .join('\n');
}

function describe({ name, kind, help, labels, processes }: MetricDefinition) {
  const names = Object.keys(labels);
  const shown = names.length === 0 ? name : `${name}{${names.join(', ')}}`;
  const values = Object.entries(labels).map(([label, of]) => `\`${label}\`: ${typeof of === 'string' ? of : of.map(quoted).join(', ')}`);
  return `\`${shown}\` (${kind}; ${processes.length === 5 ? 'all' : processes.join(', ')}). ${[help, ...values].join('. ')}.`;
}

const quoted = (value: string) => `\`${value}\``;
