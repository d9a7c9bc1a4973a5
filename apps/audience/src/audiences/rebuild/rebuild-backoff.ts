import { LRUCache } from 'lru-cache';
import { retryDelayMs } from '@tidings/contracts/core/retry-delay';

/** Longest delay of a rebuild that keeps failing, in ms. */
const DELAY_MS_MAX = 60_000;
/** The first delay is that of a sixth attempt elsewhere, about a second: a failed page may have taken many. */
const ATTEMPTS_SKIPPED = 5;
/** Pages that take the database too long are halved, down to one person. */
const CUT = 2;

interface FailureState {
  /** Failures since the last successful page. */
  failures: number;
  /** How often the pages were halved; they stay small until the rebuild ends. */
  cuts: number;
}

/** Retry delays and page sizes of failing rebuilds of this process, by membership. */
export class RebuildBackoff {
  /** More rebuilds than fail at a time. */
  private readonly failing = new LRUCache<string, FailureState>({ max: 1_000 });

  /** Records a failure. Returns the delay before the next attempt, in ms. */
  add(membership: string, isTooSlow: boolean) {
    const { failures, cuts } = this.failing.get(membership) ?? { failures: 0, cuts: 0 };
    this.failing.set(membership, { failures: failures + 1, cuts: cuts + Number(isTooSlow) });
    return retryDelayMs(failures + 1 + ATTEMPTS_SKIPPED, DELAY_MS_MAX);
  }

  /** Records a successful page: the next failure counts as the first. */
  reset(membership: string) {
    const state = this.failing.get(membership);
    if (state) state.failures = 0;
  }

  /** People, or members, of the rebuild's next page, where `size` is the usual number. */
  pageSize(membership: string, size: number) {
    return Math.max(1, Math.floor(size / CUT ** (this.failing.get(membership)?.cuts ?? 0)));
  }
}
