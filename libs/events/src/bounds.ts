/** How long an append whose outcome is unknown is tried again, in ms, where its caller says nothing else. */
export const APPEND_DEADLINE_MS = 10_000;

/** Records of a batch at the most, where its consumer says nothing else; and what it may say. */
export const BATCH_RECORDS = 500;
const BATCH_RECORDS_MAX = 10_000;

/** @throws RangeError for what cannot be the size of a batch: the caller's mistake. */
export function assertMaxBatch(maxBatch: number): void {
  if (Number.isInteger(maxBatch) && maxBatch >= 1 && maxBatch <= BATCH_RECORDS_MAX) return;
  throw new RangeError(`maxBatch is a whole number from 1 to ${BATCH_RECORDS_MAX}, not ${maxBatch}`);
}
