/**
 * Milliseconds of the machine's monotonic clock. Unlike `performance.now()` its zero is the same in every process, so times of
 * different processes can be subtracted.
 */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
