interface Talker {
  readonly output: string;
}

declare global {
  /** Read by `output-environment.cjs` when a test of this file fails. */
  var talkersOfThisFile: Talker[] | undefined;
}

/** From now on, what `talker` said is shown with every test of this file that fails. */
export function shownWhenATestFails(talker: Talker): void {
  (globalThis.talkersOfThisFile ??= []).push(talker);
}
