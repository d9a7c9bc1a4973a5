interface TeardownFault {
  /** Name of the part whose stop failed. */
  name: string;
  error: unknown;
}

/**
 * Stops started parts in reverse order, so that no part loses its dependencies. For starts that may fail half-way and for the
 * end of a process.
 */
export class Teardown {
  private readonly stops: { name: string; stop: () => Promise<void> | void }[] = [];
  private running?: Promise<TeardownFault[]>;
  /** Name of the part that is stopping now. */
  current?: string;

  /** Registers `stop`; it runs before those added earlier. */
  add(name: string, stop: () => Promise<void> | void) {
    this.stops.push({ name, stop });
  }

  /**
   * Stops all parts and resolves with the faults; a failing stop does not prevent the others. Each part is stopped once, however
   * often this is called; a part that was added after the end is stopped by the next call.
   */
  run() {
    return (this.running ??= this.stopAll().finally(() => (this.running = undefined)));
  }

  private async stopAll() {
    const faults: TeardownFault[] = [];
    // One by one from the end: a part may be added while others stop.
    for (let part = this.stops.pop(); part; part = this.stops.pop()) {
      this.current = part.name;
      try {
        await part.stop();
      } catch (error) {
        faults.push({ name: part.name, error });
      }
    }
    this.current = undefined;
    return faults;
  }
}
