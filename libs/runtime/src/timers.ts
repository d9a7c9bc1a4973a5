/** A pending timer. */
export interface Timer {
  /** Lets the process end while the timer is pending. */
  unref(): Timer;
}

/** Timers and their clock. Injected, so that tests can advance the time. */
export abstract class Timers {
  /** Milliseconds of a monotonic clock; only differences are meaningful. */
  abstract now(): number;
  abstract setTimeout(act: () => void, ms: number): Timer;
  abstract setInterval(act: () => void, ms: number): Timer;
  abstract clear(timer: Timer | undefined): void;

  /** Resolves after `ms`. */
  delay(ms: number): Promise<void> {
    return new Promise((resolve) => void this.setTimeout(resolve, ms));
  }
}

class SystemTimers extends Timers {
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
}

/** The timers of the process. */
export const systemTimers: Timers = new SystemTimers();
