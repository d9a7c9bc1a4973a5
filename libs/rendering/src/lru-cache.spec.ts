import { LruCache } from './lru-cache';

describe('the cache', () => {
  it('makes a value once and evicts the least recently used first', () => {
    const cache = new LruCache<string>(2, 1_000);
    const made: string[] = [];
    const get = (key: string) => cache.get(key, () => (made.push(key), key));
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) expect(get(key)).toBe(key);
    expect(made).toEqual(['a', 'b', 'c', 'b']);
    expect(cache.size).toBe(2);
  });

  it('counts the characters of its keys', () => {
    const cache = new LruCache<number>(100, 10);
    for (const key of ['aaaa', 'bbbb', 'cccc']) cache.get(key, () => 1);
    expect(cache.size).toBe(2);
    cache.get('x'.repeat(11), () => 1);
    expect(cache.size).toBe(0);
  });
});
