import type { ServiceError } from '@tidings/contracts/core/errors';
import { LRUCache } from 'lru-cache';

/** Content that was too slow so often in a row is not tried for a while. */
const STRIKES_MAX = 3;
/** How long a strike counts, in ms. */
const STRIKE_MS = 60_000;
const NAMES_MAX = 10_000;

interface Struck {
  count: number;
  until: number;
  error: ServiceError;
}

/** Remembers which content took too long, so that a flood of it does not cost its full time with every message. */
export class RenderBreaker {
  private readonly struck = new LRUCache<string, Struck>({ max: NAMES_MAX });

  /** The error this content ends with untried; undefined when it is to be tried. `now` in ms of a clock that never goes back. */
  out(name: string, now: number): ServiceError | undefined {
    const struck = this.struck.get(name);
    return struck && struck.until > now && struck.count >= STRIKES_MAX ? struck.error : undefined;
  }

  add(name: string, error: ServiceError, now: number): void {
    const before = this.struck.get(name);
    const count = before && before.until > now ? before.count + 1 : 1;
    this.struck.set(name, { count, until: now + STRIKE_MS, error });
  }

  /** It was quick enough. */
  clear(name: string): void {
    this.struck.delete(name);
  }
}
