import { LRUCache } from 'lru-cache';

/**
 * Caches what was compiled, by source or name: at most `entriesMax` values and `charsMax` characters in all, of the keys by default,
 * else `charsOf`.
 */
export class CompileCache<Value extends object | string> extends LRUCache<string, Value> {
  constructor(entriesMax: number, charsMax: number, charsOf = (_: Value, key: string) => key.length) {
    // A size must not be 0, and a key may be empty.
    super({ max: entriesMax, maxSize: charsMax, sizeCalculation: (value, key) => charsOf(value, key) || 1 });
  }

  /** The cached value of `key`, else the result of `make`. Errors of `make` are not cached. */
  getOrMake(key: string, make: () => Value): Value {
    let value = this.get(key);
    if (value === undefined) this.set(key, (value = make()));
    return value;
  }
}

/** Caches by a name, at most 2,000 values, or by the object itself where it has none. */
export class ObjectCache<Source extends object, Value extends object> {
  private readonly byKey = new CompileCache<Value>(2_000, 1_000_000);
  private readonly byIdentity = new WeakMap<Source, Value>();

  getOrMake(source: Source, key: string | undefined, make: () => Value): Value {
    if (key !== undefined) return this.byKey.getOrMake(key, make);
    let value = this.byIdentity.get(source);
    if (!value) this.byIdentity.set(source, (value = make()));
    return value;
  }
}

type CompileTimer = <Result>(compile: () => Result) => Result;

let timer: CompileTimer = (compile) => compile();

/**
 * Runs a compilation whose result is cached: packages, catalogues, brands. The content that triggers it is not charged: on a pool
 * thread it has its own time limit.
 */
export function timeCompile<Result>(compile: () => Result): Result {
  return timer(compile);
}

/** Sets the timer of this thread's compilations. */
export function setCompileTimer(compileTimer: CompileTimer): void {
  timer = compileTimer;
}
