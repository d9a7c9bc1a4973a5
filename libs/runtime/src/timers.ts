/** A pending timer. */
export interface Timer {
  /** Lets the process end while the timer is pending. */
  unref(): Timer;
}

/** The timers of the process and their clock. Injected, so that tests can advance the time. */
export class Timers {
  /** Milliseconds of a monotonic clock; only differences are meaningful. */
  now(): number {
    return performance.now();
  }

  setTimeout(act: () => void, ms: number): Timer {
    return setTimeout(act, ms);
  }

  setInterval(act: () => void, ms: number): Timer {
    return setInterval(act, ms);
  }

  clear(timer: Timer | undefined): void {
    clearTimeout(timer as NodeJS.Timeout | undefined);
  }

  /** Resolves after `ms`. */
  delay(ms: number): Promise<void> {
    return new Promise((resolve) => void this.setTimeout(resolve, ms));
  }
}

export const systemTimers = new Timers();
