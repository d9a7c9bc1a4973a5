/** How long what a process claims is its own before another may claim it. Renewed while it is worked on. */
export const WORK_LEASE_MS = 5_000;

/** Times of claimed work. Defaults are production's; a spec gives shorter ones to what it would wait for. */
export class WorkTimes {
  /** Lease of an open message, or of a request that is expanded. */
  readonly leaseMs: number;
  /** Leases are renewed well before they end, those of attempts too. */
  readonly renewMs: number;
  /**
   * Whatever takes longer than this hangs, and is given up. The longest there is, a page each of whose 200 messages waits a quarter of
   * a second for its place and is then stored alone, takes a fifth of it.
   */
  readonly timeoutMs: number;
  /** A process that sleeps looks again after this long at the latest, for rows of one that died without a word. */
  readonly pollMs: number;
  /** From one look or write that failed to the next. */
  readonly retryMs: number;
  /** After what nobody thought of; it is in the log. */
  readonly faultRetryMs: number;
  /** From the first attempt of a delivery to the second; then it doubles. */
  readonly firstRetryMs: number;

  constructor(times: Partial<WorkTimes> = {}) {
    const { leaseMs = WORK_LEASE_MS, renewMs = leaseMs / 3, timeoutMs = 300_000 } = times;
    const { pollMs = 10_000, retryMs = 500, faultRetryMs = 30_000, firstRetryMs = 1_000 } = times;
    this.leaseMs = leaseMs;
    this.renewMs = renewMs;
    this.timeoutMs = timeoutMs;
    this.pollMs = pollMs;
    this.retryMs = retryMs;
    this.faultRetryMs = faultRetryMs;
    this.firstRetryMs = firstRetryMs;
  }
}
