/** Keeps the most recently used values, bounded in number and in the summed length of their keys. */
export class LruCache<Value> {
  private readonly values = new Map<string, Value>();
  private keyChars = 0;

  constructor(
    private readonly entriesMax: number,
    private readonly keyCharsMax: number,
  ) {}

  /** The value of `key`, made by `make` when there is none. What `make` throws is not kept. */
  get(key: string, make: () => Value): Value {
    const known = this.values.get(key);
    if (known !== undefined) {
      // A Map remembers the order of insertion, so the least recently used is always first.
      this.values.delete(key);
      this.values.set(key, known);
      return known;
    }
    const value = make();
    this.values.set(key, value);
    this.keyChars += key.length;
    for (const oldest of this.values.keys()) {
      if (this.values.size <= this.entriesMax && this.keyChars <= this.keyCharsMax) break;
      this.values.delete(oldest);
      this.keyChars -= oldest.length;
    }
    return value;
  }

  get size(): number {
    return this.values.size;
  }
}
