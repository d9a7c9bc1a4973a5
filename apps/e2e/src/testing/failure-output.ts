interface Talker {
  readonly output: string;
}

declare global {
  /** Read by `output-environment.cjs` when a test fails. */
  var latestTalker: Talker | undefined;
}

/** Until another one is named, what `talker` said is shown with a test of this file that fails. */
export function shownWhenATestFails(talker: Talker): void {
  globalThis.latestTalker = talker;
}
