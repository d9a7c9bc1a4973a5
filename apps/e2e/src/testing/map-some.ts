const AT_ONCE = 16;

/** Does something for each, a few at once, and keeps the order. */
export async function mapSome<Item, Result>(items: readonly Item[], make: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = new Array<Result>(items.length);
  let next = 0;
  const go = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) results[index] = await make(items[index]!);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, go));
  return results;
}
