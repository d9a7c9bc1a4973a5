/** Is notified of the end of every call, for metrics. */
export interface RpcObserver {
  /** A call of this process ended. @param outcome `ok` or an error code. @param sinceMs when it began, by `performance.now()`. */
  called(operation: string, outcome: string, sinceMs: number): void;
  /**
   * A call was answered here. @param operation `unknown` where it is not served. @param outcome `ok`, an error code, or `expired`: its caller
   * waits no longer. @param sinceMs when it arrived, by `performance.now()`.
   */
  answered(operation: string, outcome: string, sinceMs: number): void;
}

export const NO_OBSERVER: RpcObserver = { called: () => undefined, answered: () => undefined };
