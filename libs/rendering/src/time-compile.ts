type Around = <Result>(read: () => Result) => Result;

let around: Around = (read) => read();

/**
 * Reads what is read once and then kept, and is not the fault of the content that happened to be first: packages, catalogues,
 * brands. On a thread of the pool it has a time limit of its own.
 */
export function timeCompile<Result>(read: () => Result): Result {
  return around(read);
}

/** Has a thread's clock told of each reading. */
export function setCompileTimer(tell: Around): void {
  around = tell;
}
