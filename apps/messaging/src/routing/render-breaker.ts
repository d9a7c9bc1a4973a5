import type { ServiceError } from '@tidings/contracts/core/errors';
import { LRUCache } from 'lru-cache';

/** Slow renderings in a row after which content fails fast. */
const SLOW_MAX = 3;
/** How long a slow rendering counts, in ms. */
const SLOW_MS = 60_000;
const NAMES_MAX = 10_000;

interface SlowContent {
  count: number;
  until: number;
  error: ServiceError;
}

/** Fails content fast after three slow renderings, so that many messages of it do not cost its full time each. */
export class RenderBreaker {
  private readonly slow = new LRUCache<string, SlowContent>({ max: NAMES_MAX });

  /** The error of content that fails fast; undefined where it is to be rendered. `now`: ms of a monotonic clock. */
  openError(name: string, now: number): ServiceError | undefined {
    const slow = this.slow.get(name);
    return slow && slow.until > now && slow.count >= SLOW_MAX ? slow.error : undefined;
  }

  /** Counts a slow rendering. `now`: ms of a monotonic clock. */
  recordSlow(name: string, error: ServiceError, now: number): void {
    const before = this.slow.get(name);
    const count = before && before.until > now ? before.count + 1 : 1;
    this.slow.set(name, { count, until: now + SLOW_MS, error });
  }

  /** Resets the count after a rendering within its time. */
  reset(name: string): void {
    this.slow.delete(name);
  }
}
