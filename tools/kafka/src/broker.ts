/** One broker of a cluster, on Java or in Docker. */
export interface Broker {
  readonly id: number;
  /** Whether its process exists, including when it is frozen or not ready. */
  isRunning(): boolean;
  /** Starts the process without waiting until the broker is ready. Does nothing when it is running. */
  launch(): Promise<void>;
  /** Stops it in order, or kills it after a time limit; resolves when the process has ended. */
  stop(): Promise<void>;
  /** Kills it without an orderly stop; data written to the operating system persists. Resolves when the process has ended. */
  kill(): Promise<void>;
  /** Suspends it: connections stay open and get no answers. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Kills it and removes its resources outside its folder. */
  remove(): Promise<void>;
  /** The end of its log, for error messages. */
  lastLogLines(): string;
}
