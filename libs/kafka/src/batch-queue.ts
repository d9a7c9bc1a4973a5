/** A batch of at least this many items counts as load. */
export const LOADED_BATCH_ITEMS = 4;
/** Shortest interval between a batch under load and the next one, in ms. */
export const LOADED_BATCH_INTERVAL_MS = 1.5;

interface Item {
  /** Bytes or characters. */
  size: number;
  /** Entries in the item. Default 1. */
  count?: number;
}

interface BatchQueueOptions<I extends Item> {
  /** Limits of a batch; a single item may exceed them. */
  batch: { count: number; size: number };
  /** Limits of what waits behind the batch in flight; above them an item is refused. */
  waiting: { count: number; size: number };
  /**
   * Spaces batches under load: a produce costs both sides as much as a dozen items, so fuller batches gain more than waiting costs.
   * A lone item is sent at once.
   */
  paced: boolean;
  /** Called before each batch: withdraws what must not be sent any more. */
  withdrawOverdue(): void;
  /** Sends a batch, and reports its outcome to its items; the next batch follows when it resolves. Never rejects. */
  send(batch: I[]): Promise<void>;
}

/**
 * Batches items: those that arrive while a batch is in flight form the next one; without one in flight an item is sent at the end of
 * the event loop's tick. One batch at a time, so the order of items is the order in which they are sent.
 */
export class BatchQueue<I extends Item> {
  private waiting: I[] = [];
  private count = 0;
  private size = 0;
  private running?: Promise<void>;
  private notBefore = 0;

  constructor(private readonly options: BatchQueueOptions<I>) {}

  /** Whether too much waits to add more. */
  get isFull(): boolean {
    const { waiting } = this.options;
    return this.count >= waiting.count || this.size >= waiting.size;
  }

  /** Whether a batch is in flight or items wait. */
  get isRunning(): boolean {
    return this.running !== undefined;
  }

  add(item: I): void {
    this.waiting.push(item);
    this.measure([item], 1);
    this.running ??= this.run();
  }

  /** Puts items of a failed batch back in front; only while it is sent. */
  putBack(items: readonly I[]): void {
    this.waiting = [...items, ...this.waiting];
    this.measure(items, 1);
  }

  /** Removes and returns waiting items. */
  withdraw(wanted: (item: I) => boolean): I[] {
    const withdrawn = this.waiting.filter(wanted);
    if (withdrawn.length > 0) this.waiting = this.waiting.filter((item) => !wanted(item));
    this.measure(withdrawn, -1);
    return withdrawn;
  }

  /** Resolves when nothing waits and no batch is in flight. */
  async drained(): Promise<void> {
    await this.running;
  }

  private async run() {
    const { batch: limits, paced, withdrawOverdue, send } = this.options;
    // Later items of this tick join the batch.
    await new Promise(setImmediate);
    while (this.waiting.length > 0) {
      const pauseMs = this.notBefore - performance.now();
      if (pauseMs > 0 && this.count < limits.count) await new Promise((resume) => setTimeout(resume, pauseMs));
      withdrawOverdue();
      const batch = this.nextBatch();
      if (paced && batch.length >= LOADED_BATCH_ITEMS) this.notBefore = performance.now() + LOADED_BATCH_INTERVAL_MS;
      if (batch.length > 0) await send(batch);
    }
    this.running = undefined;
  }

  private nextBatch() {
    const limits = this.options.batch;
    let [length, count, size] = [0, 0, 0];
    for (const item of this.waiting) {
      count += item.count ?? 1;
      size += item.size;
      if (length > 0 && (count > limits.count || size > limits.size)) break;
      length += 1;
    }
    const batch = this.waiting.splice(0, length);
    this.measure(batch, -1);
    return batch;
  }

  private measure(items: readonly I[], sign: 1 | -1) {
    for (const { count = 1, size } of items) {
      this.count += sign * count;
      this.size += sign * size;
    }
  }
}
