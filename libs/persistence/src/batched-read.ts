import DataLoader from 'dataloader';

/** Longer groups travel as several statements. */
const GROUP_MAX = 500;

/**
 * Makes reads of one row each into a statement for all that were asked within one turn of the event loop: a statement costs both
 * sides about as much as the twenty rows it may bring. A read waits for no timer, and nothing is kept: what is asked again is read again.
 *
 * @param rowsOf the rows of the keys, in their order, `undefined` for what is not there. When it fails, every read of the group does.
 */
export function batchedRead<Key, Row>(
  rowsOf: (keys: readonly Key[]) => Promise<(Row | undefined)[]>,
): (key: Key) => Promise<Row | undefined> {
  const loader = new DataLoader<Key, Row | undefined>(rowsOf, {
    cache: false,
    maxBatchSize: GROUP_MAX,
    batchScheduleFn: (leave) => void setImmediate(leave),
  });
  return (key) => loader.load(key);
}
