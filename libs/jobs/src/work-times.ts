/** Lease duration of claimed work, renewed while it runs. After it another process may claim the row. */
export const WORK_LEASE_MS = 5_000;

/** Times of claimed work. Defaults are production's; specs shorten those that they would wait for. */
export class WorkTimes {
  /** Lease of claimed work. */
  readonly leaseMs: number = WORK_LEASE_MS;
  /** Interval of renewals, well below the lease. */
  readonly renewMs: number;
  /**
   * Work timeout. The longest regular work, a page of messaging whose 200 messages each wait 250 ms for a permit and are then stored one by
   * one, takes a fifth of it.
   */
  readonly timeoutMs: number = 300_000;
  /** Longest pause between two polls, for rows of a process that died. */
  readonly pollMs: number = 10_000;
  /** Pause after a failed poll or write. */
  readonly retryMs: number = 500;
  /** Pause after an unexpected error, which is logged. */
  readonly faultRetryMs: number = 30_000;
  /** Delay from the first attempt to the second, of work that counts its attempts; later delays double. */
  readonly firstRetryMs: number = 1_000;

  constructor(times: Partial<WorkTimes> = {}) {
    Object.assign(this, times);
    this.renewMs = times.renewMs ?? this.leaseMs / 3;
  }
}
