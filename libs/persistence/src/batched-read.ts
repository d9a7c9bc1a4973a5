import DataLoader from 'dataloader';

/** Larger batches are split into several statements. */
const BATCH_MAX = 500;

/**
 * Batches the single-row reads of one event loop tick into a statement: a statement costs both sides about as much as twenty
 * rows. A read waits for no timer, and nothing is cached.
 *
 * @param rowsOf the rows of the keys, in their order, `undefined` for a missing one. When it fails, every read of the batch fails.
 */
export function batchedRead<Key, Row>(
  rowsOf: (keys: readonly Key[]) => Promise<(Row | undefined)[]>,
): (key: Key) => Promise<Row | undefined> {
  const loader = new DataLoader<Key, Row | undefined>(rowsOf, {
    cache: false,
    maxBatchSize: BATCH_MAX,
    batchScheduleFn: (send) => void setImmediate(send),
  });
  return (key) => loader.load(key);
}
