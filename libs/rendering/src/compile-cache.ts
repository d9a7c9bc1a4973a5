import { LRUCache } from 'lru-cache';

/** Caches what was compiled, by source or name, bounded in number and in total length: of the keys by default, else `charsOf`. */
export class CompileCache<Value extends object | string> extends LRUCache<string, Value> {
  constructor(max: number, maxSize: number, charsOf = (_: Value, key: string): number => key.length) {
    // A size must not be 0, and a key may be empty.
    super({ max, maxSize, sizeCalculation: (value, key) => charsOf(value, key) || 1 });
  }

  /** The cached value of `key`, else the result of `make`. Errors of `make` are not cached. */
  getOrMake(key: string, make: () => Value): Value {
    let value = this.get(key);
    if (value === undefined) this.set(key, (value = make()));
    return value;
  }
}
