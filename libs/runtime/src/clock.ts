/** Where time comes from. Injected, so that a test can choose it. */
export abstract class Clock {
  /** Milliseconds since the epoch. */
  abstract now(): number;
}

/** The clock of the machine. */
export const systemClock: Clock = { now: () => Date.now() };
