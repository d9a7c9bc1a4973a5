/**
 * Caches the results of `compute` for the `entriesMax` most recently used texts. For pure functions that are mostly called with
 * few different texts.
 */
export function memoize<T>(entriesMax: number, compute: (text: string) => T): (text: string) => T {
  const cache = new Map<string, T>();
  return (text) => {
    let result = cache.get(text);
    if (result === undefined && !cache.has(text)) result = compute(text);
    else cache.delete(text); // reinserted below as the most recent, so that many other texts do not evict texts in use
    cache.set(text, result as T);
    if (cache.size > entriesMax) cache.delete(cache.keys().next().value!);
    return result as T;
  };
}
