interface TeardownFault {
  /** Of the part that did not stop in order. */
  name: string;
  error: unknown;
}

/**
 * How to stop what was started: the last first, so that nothing loses what it needs. Made for starts that may fail half-way
 * as well as for the end of a process.
 */
export class Teardown {
  private readonly stops: { name: string; stop: () => Promise<void> | void }[] = [];
  private running?: Promise<TeardownFault[]>;
  private working?: string;

  /** Has `stop` called before the stops that were added earlier. */
  add(name: string, stop: () => Promise<void> | void): void {
    this.stops.push({ name, stop });
  }

  /** The part that is stopping now. */
  get current(): string | undefined {
    return this.working;
  }

  /**
   * Stops everything and resolves with what did not stop in order, which keeps nothing else from stopping. Each part is stopped
   * once, however often this is called; a part that was added after the end is stopped by the next call.
   */
  run(): Promise<TeardownFault[]> {
    return (this.running ??= this.stopAll().finally(() => (this.running = undefined)));
  }

  private async stopAll(): Promise<TeardownFault[]> {
    const faults: TeardownFault[] = [];
    // One by one from the end: a part may be added while others stop.
    for (let part = this.stops.pop(); part; part = this.stops.pop()) {
      this.working = part.name;
      try {
        await part.stop();
      } catch (error) {
        faults.push({ name: part.name, error });
      }
    }
    this.working = undefined;
    return faults;
  }
}
