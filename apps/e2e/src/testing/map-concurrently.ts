const CONCURRENCY = 16;

/** Maps items with at most `CONCURRENCY` calls in flight; results are in the order of the items. */
export async function mapConcurrently<Item, Result>(items: readonly Item[], make: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = new Array<Result>(items.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) results[index] = await make(items[index]!);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return results;
}
