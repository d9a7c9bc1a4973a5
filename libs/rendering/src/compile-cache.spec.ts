import { CompileCache } from './compile-cache';

describe('the cache', () => {
  it('makes a value once and evicts the least recently used first', () => {
    const cache = new CompileCache<string>(2, 1_000);
    const made: string[] = [];
    const get = (key: string) => cache.getOrMake(key, () => (made.push(key), key));
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) expect(get(key)).toBe(key);
    expect(made).toEqual(['a', 'b', 'c', 'b']);
    expect(cache.size).toBe(2);
  });

  it('counts the characters of its keys', () => {
    const cache = new CompileCache<string>(100, 10);
    for (const key of ['aaaa', 'bbbb', 'cccc']) cache.getOrMake(key, () => 'made');
    expect(cache.size).toBe(2);
    expect(cache.getOrMake('', () => 'made of nothing')).toBe('made of nothing');
    cache.getOrMake('x'.repeat(11), () => 'too long');
    expect(cache.has('x'.repeat(11))).toBe(false);
  });
});
