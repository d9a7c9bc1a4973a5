/**
 * Milliseconds of the machine's monotonic clock. Unlike `performance.now()` it means the same in every process, so what one
 * process sends can be subtracted from what another receives.
 */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
