/** Keeps the most recently used values, bounded in number and in their summed length: that of their keys, unless it is said otherwise. */
export class LruCache<Value> {
  private readonly values = new Map<string, Value>();
  private chars = 0;

  constructor(
    private readonly entriesMax: number,
    private readonly charsMax: number,
    private readonly charsOf: (value: Value, key: string) => number = (_, key) => key.length,
  ) {}

  /** The value of `key`, made by `make` when there is none. What `make` throws is not kept. */
  get(key: string, make: () => Value): Value {
    const cached = this.find(key);
    if (cached !== undefined) return cached;
    const value = make();
    this.values.set(key, value);
    this.chars += this.charsOf(value, key);
    for (const [oldest, old] of this.values) {
      if (this.values.size <= this.entriesMax && this.chars <= this.charsMax) break;
      this.values.delete(oldest);
      this.chars -= this.charsOf(old, oldest);
    }
    return value;
  }

  /** The value of `key` where there is one. */
  find(key: string): Value | undefined {
    const cached = this.values.get(key);
    if (cached === undefined) return undefined;
    // A Map remembers the order of insertion, so the least recently used is always first.
    this.values.delete(key);
    this.values.set(key, cached);
    return cached;
  }

  get size(): number {
    return this.values.size;
  }
}
