/** A batch of at least this many entries counts as load. */
export const LOADED_BATCH_ENTRIES = 4;
/** Shortest interval between a batch under load and the next one, in ms. */
export const LOADED_BATCH_INTERVAL_MS = 1.5;

/**
 * Spaces batches under load: a produce costs both sides as much as a dozen entries, so fuller batches gain more than waiting
 * costs. A lone entry is sent at once.
 */
export class BatchPacer {
  private notBefore = 0;

  /** Notes that a batch is sent now. */
  noteSent(entries: number): void {
    if (entries >= LOADED_BATCH_ENTRIES) this.notBefore = performance.now() + LOADED_BATCH_INTERVAL_MS;
  }

  /** Resolves when the next batch may be sent. */
  async wait(): Promise<void> {
    const ms = this.notBefore - performance.now();
    if (ms > 0) await new Promise((resume) => setTimeout(resume, ms));
  }
}
