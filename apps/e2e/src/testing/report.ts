/** Says what a story measured. On the error output: `npm test` keeps the other one for jest's own results. */
export function report(what: string): void {
  process.stderr.write(`${what}\n`);
}
