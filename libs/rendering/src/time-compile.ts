type CompileTimer = <Result>(compile: () => Result) => Result;

let timer: CompileTimer = (compile) => compile();

/**
 * Runs a compilation whose result is cached: packages, catalogues, brands. The content that triggers it is not charged: on a pool
 * thread it has its own time limit.
 */
export function timeCompile<Result>(compile: () => Result): Result {
  return timer(compile);
}

/** Sets the timer of this thread's compilations. */
export function setCompileTimer(compileTimer: CompileTimer): void {
  timer = compileTimer;
}
