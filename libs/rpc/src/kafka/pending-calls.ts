/** Interval of checking deadlines while calls are open, in ms: one timer for all calls. */
const SWEEP_INTERVAL_MS = 20;

/** An open call. */
export interface Pending {
  /** When its retry or its end is due, by `performance.now()`. */
  due: number;
}

/** The open calls of this process, by number. */
export class PendingCalls<Call extends Pending> {
  private readonly calls = new Map<number, Call>();
  private nextDue = Infinity;
  private timer?: NodeJS.Timeout;
  private count = 0;
  private emptied?: () => void;

  constructor(
    private readonly onDue: (id: number, call: Call, now: number) => void,
    private readonly onSweep: (now: number) => void,
  ) {}

  add(call: Call): number {
    const id = ++this.count;
    this.calls.set(id, call);
    if (call.due < this.nextDue) this.nextDue = call.due;
    this.timer ??= setInterval(() => this.sweep(), SWEEP_INTERVAL_MS);
    return id;
  }

  get(id: number): Call | undefined {
    return this.calls.get(id);
  }

  remove(id: number): void {
    if (this.calls.delete(id) && this.calls.size === 0) this.emptied?.();
  }

  /** Calls may be removed during the iteration. */
  entries(): IterableIterator<[number, Call]> {
    return this.calls.entries();
  }

  /** Resolves when no call is open. */
  async drained(): Promise<void> {
    if (this.calls.size > 0) await new Promise<void>((resolve) => (this.emptied = resolve));
  }

  private sweep(): void {
    const now = performance.now();
    this.onSweep(now);
    if (this.calls.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
      this.nextDue = Infinity;
      return;
    }
    if (now < this.nextDue) return;
    let next = Infinity;
    for (const [id, call] of this.calls) {
      if (call.due <= now) this.onDue(id, call, now);
      if (this.calls.has(id) && call.due < next) next = call.due;
    }
    this.nextDue = next;
  }
}
