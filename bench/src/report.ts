import { type Spread, spreadOf } from './statistics';

/** Prints a table: the first column aligned left, the others right. */
export function printTable(title: string, header: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  const text = lines.map((line) =>
    widths.map((width, column) => (column === 0 ? (line[column] ?? '').padEnd(width) : (line[column] ?? '').padStart(width))).join('  '),
  );
  console.log(
    `\n${title}\n  ${text[0]}\n  ${'-'.repeat(text[0]!.length)}\n${text
      .slice(1)
      .map((line) => `  ${line}`)
      .join('\n')}`,
  );
}

/** Formats a number with the digits that are significant on a noisy machine. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size >= 1_000) return Math.round(value).toLocaleString('en-US');
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  return value.toFixed(size >= 1 ? 2 : 3);
}

/** `median (lowest–highest)` of the rounds; the number alone for a single round. */
export function spread(values: readonly number[]): string {
  const { median, min, max }: Spread = spreadOf(values);
  return values.length < 2 ? figure(median) : `${figure(median)} (${figure(min)}–${figure(max)})`;
}

export const mebibytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`;
