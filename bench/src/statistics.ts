export interface Spread {
  median: number;
  min: number;
  max: number;
}

/** The median with the lowest and the highest, of at least one number. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [Math.floor((sorted.length - 1) / 2), Math.ceil((sorted.length - 1) / 2)];
  return { median: ((sorted[low] ?? NaN) + (sorted[high] ?? NaN)) / 2, min: sorted[0] ?? NaN, max: sorted.at(-1) ?? NaN };
}

/** The quantile `part` (0..1) of sorted numbers by nearest rank; `NaN` without numbers. */
export function quantile(sorted: ArrayLike<number>, part: number): number {
  if (sorted.length === 0) return NaN;
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(part * sorted.length) - 1))] ?? NaN;
}

export interface Percentiles {
  p50: number;
  p99: number;
  max: number;
}

export function percentilesOf(values: Iterable<number>): Percentiles {
  const sorted = Float64Array.from(values).sort();
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), max: quantile(sorted, 1) };
}
