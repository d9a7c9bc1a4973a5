/** The tables of docs/seeded-faults.md, and the way they are put there. */
const BEGIN = '<!-- faults:begin -->\n';
const END = '<!-- faults:end -->';
const HEAD = ['fault', 'category', 'what breaks', 'suite'];

/** A table for each package, as prettier lays it out. */
export function tablesOf(faults) {
  const packages = [...new Set(faults.map((fault) => fault.package))];
  return packages.map((name) => `### ${name}\n\n${tableOf(faults.filter((fault) => fault.package === name))}`).join('\n');
}

/** The page with its tables made anew. */
export function withTables(page, faults) {
  const [before, rest] = page.split(BEGIN);
  return `${before}${BEGIN}\n${tablesOf(faults)}\n${rest.slice(rest.indexOf(END))}`;
}

function tableOf(faults) {
  const rows = faults.map(({ id, category, breaks, suites, way }) => [
    `\`${id}\``,
    category,
    breaks.replaceAll('|', '\\|'),
    suites.map((suite) => `\`${suite}\``).join(', ') + (way === 'kafka' ? ' (over Kafka)' : ''),
  ]);
  const widths = HEAD.map((_, column) => Math.max(...[HEAD, ...rows].map((row) => row[column].length)));
  const lineOf = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |\n`;
  return lineOf(HEAD) + lineOf(widths.map((width) => '-'.repeat(width))) + rows.map(lineOf).join('');
}
