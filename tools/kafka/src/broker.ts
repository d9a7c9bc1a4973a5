/** One broker of a cluster, however it is run. */
export interface Broker {
  readonly id: number;
  /** Whether it is there at all, be it frozen or not ready. */
  isRunning(): boolean;
  /** Begins the start, without waiting for it; nothing happens when it runs. */
  launch(): Promise<void>;
  /** Ends it in order, within a bound; resolves when it is gone. */
  stop(): Promise<void>;
  /** Ends it as a loss of power would, except that the disk keeps what it was given; resolves when it is gone. */
  kill(): Promise<void>;
  /** Stops it from running without ending it: connections stay open and nothing is answered. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Kills it and removes all it has outside its folder. */
  remove(): Promise<void>;
  /** What it said last, for an error's text. */
  lastWords(): string;
}
