/** The tables of docs/seeded-faults.md and their insertion into the page. */
const BEGIN = '<!-- faults:begin -->\n';
const END = '<!-- faults:end -->';
const HEAD = ['fault', 'category', 'what breaks', 'suite'];

/** One table per package, in the layout of prettier. */
export function tablesOf(faults) {
  const packages = [...new Set(faults.map((fault) => fault.package))];
  return packages.map((name) => `### ${name}\n\n${tableOf(faults.filter((fault) => fault.package === name))}`).join('\n');
}

/** The page with new tables. */
export function withTables(page, faults) {
  const [before, rest] = page.split(BEGIN);
  return `${before}${BEGIN}\n${tablesOf(faults)}\n${rest.slice(rest.indexOf(END))}`;
}

function tableOf(faults) {
  const rows = faults.map(({ id, category, breaks, suites, topology }) => [
    `\`${id}\``,
    category,
    breaks.replaceAll('|', '\\|'),
    suites.map((suite) => `\`${suite}\``).join(', ') + (topology === 'kafka' ? ' (over Kafka)' : ''),
  ]);
  const widths = HEAD.map((_, column) => Math.max(...[HEAD, ...rows].map((row) => row[column].length)));
  const lineOf = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |\n`;
  return lineOf(HEAD) + lineOf(widths.map((width) => '-'.repeat(width))) + rows.map(lineOf).join('');
}
