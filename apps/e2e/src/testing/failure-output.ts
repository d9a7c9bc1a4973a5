interface OutputSource {
  readonly output: string;
}

declare global {
  /** Read by `libs/testing/src/jest/spec-runner.cjs` when a test fails. */
  var outputOnFailure: OutputSource | undefined;
}

/** Prints the output of `source` with failing tests of this file, until another source is set. */
export function showOutputOnFailure(source: OutputSource): void {
  globalThis.outputOnFailure = source;
}
