/**
 * Sums a metric's samples in Prometheus' text format; `labels` selects samples whose label text contains it. Throws when the
 * text does not declare the metric: a misspelt name must not count as zero.
 */
export function sampleOf(text: string, name: string, labels = ''): number {
  const lines = text.split('\n');
  if (!lines.some((line) => line.startsWith(`# TYPE ${name} `))) throw new Error(`There is no metric ${name}`);
  return lines
    .filter((line) => (line.startsWith(`${name} `) || line.startsWith(`${name}{`)) && line.includes(labels))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
