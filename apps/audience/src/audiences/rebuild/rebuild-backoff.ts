import { retryDelayMs } from '@tidings/events/retry-delay';

/** A rebuild that fails again and again is tried this seldom. In ms. */
const DELAY_MS_MAX = 60_000;
/** The first delay is that of a sixth attempt elsewhere, about a second: a page that fails may have taken many. */
const ATTEMPTS_SKIPPED = 5;
/** What takes the database too long is asked for in pages of half the size; down to one person. */
const CUT = 2;
/** Rebuilds whose setbacks are remembered: more than fail at a time. */
const REMEMBERED_MAX = 1_000;

interface Setback {
  /** Since the last page that went well. */
  failures: number;
  /** Times the pages were cut; they stay small as long as the rebuild takes. */
  cuts: number;
}

/** What went wrong with rebuilds, by their membership, as far as this worker knows. */
export class RebuildBackoff {
  private readonly known = new Map<string, Setback>();

  /** Notes a failure. Returns how long to wait before the next attempt, in ms. */
  add(membership: string, isTooSlow: boolean): number {
    const { failures, cuts } = this.known.get(membership) ?? { failures: 0, cuts: 0 };
    this.known.delete(membership);
    if (this.known.size >= REMEMBERED_MAX) this.known.delete(this.known.keys().next().value!);
    this.known.set(membership, { failures: failures + 1, cuts: cuts + Number(isTooSlow) });
    return retryDelayMs(failures + 1 + ATTEMPTS_SKIPPED, DELAY_MS_MAX);
  }

  /** A page went well: the next failure is the first one again. */
  reset(membership: string): void {
    const setback = this.known.get(membership);
    if (setback) setback.failures = 0;
  }

  /** How many people, or members, its next page looks at, where others look at `size`. */
  pageSize(membership: string, size: number): number {
    return Math.max(1, Math.floor(size / CUT ** (this.known.get(membership)?.cuts ?? 0)));
  }
}
