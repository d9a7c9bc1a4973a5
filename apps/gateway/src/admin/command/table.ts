/** Columns as wide as their widest entry. */
export function table(heads: string[], rows: string[][]): string[] {
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]!.length)));
  const line = (row: string[]) => row.map((entry, column) => entry.padEnd(widths[column]!)).join('  ');
  return [heads, ...rows].map((row) => line(row).trimEnd());
}
