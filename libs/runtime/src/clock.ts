/** Source of the current time. Injected, so that tests can set it. */
export abstract class Clock {
  /** Milliseconds since the epoch. */
  abstract now(): number;
}

/** The system clock. */
export const systemClock: Clock = { now: () => Date.now() };
