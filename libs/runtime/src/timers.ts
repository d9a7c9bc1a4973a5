/** A timer that is set. */
export interface Timer {
  /** The process need not stay for it. */
  unref(): Timer;
}

/** Timers, and the clock that they go by. Injected, so that a test can let time pass by hand. */
export abstract class Timers {
  /** Milliseconds of a clock that only goes forward; only differences matter. */
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
