/** A batch of so many shows that entries come in company. */
export const COMPANY_ENTRIES = 4;
/** The batch after one that went in company leaves so long after it at the earliest. */
export const COMPANY_PACE_MS = 1.5;

/**
 * Keeps batches from following each other too closely. A produce costs both sides as much as a dozen entries, so under load
 * entries gain more by company than they lose by waiting for it; one that comes alone waits for nobody.
 */
export class BatchPacer {
  private notBefore = 0;

  /** Notes that a batch leaves now. */
  left(entries: number): void {
    if (entries >= COMPANY_ENTRIES) this.notBefore = performance.now() + COMPANY_PACE_MS;
  }

  /** Resolves when the next batch may leave. */
  async keep(): Promise<void> {
    const ms = this.notBefore - performance.now();
    if (ms > 0) await new Promise((resume) => setTimeout(resume, ms));
  }
}
