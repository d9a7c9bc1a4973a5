/** Default time in which an append with unknown outcome is retried, in ms. */
export const APPEND_DEADLINE_MS = 10_000;

/** Default and highest `maxBatch` of a consumer. */
export const BATCH_RECORDS = 500;
const BATCH_RECORDS_MAX = 10_000;

/** @throws RangeError unless `maxBatch` is a whole number from 1 to `BATCH_RECORDS_MAX`. */
export function assertMaxBatch(maxBatch: number): void {
  if (Number.isInteger(maxBatch) && maxBatch >= 1 && maxBatch <= BATCH_RECORDS_MAX) return;
  throw new RangeError(`maxBatch is a whole number from 1 to ${BATCH_RECORDS_MAX}, not ${maxBatch}`);
}
