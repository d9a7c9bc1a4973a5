/** Prints what a test measured, to stderr: `npm test` reserves stdout for jest's results. */
export function report(what: string): void {
  process.stderr.write(`${what}\n`);
}
