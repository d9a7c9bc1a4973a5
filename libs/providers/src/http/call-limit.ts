/**
 * Ends a call after its time, or when nobody waits for it any more. (`AbortSignal.any` would do, but on Node 20 it leaves something behind
 * at the caller's signal for each call.)
 */
export class CallLimit {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly abandon = (): void => this.controller.abort();
  /** Its time is over. */
  isOver = false;

  constructor(
    timeoutMs: number,
    private readonly signal?: AbortSignal,
  ) {
    this.timer = setTimeout(() => {
      this.isOver = true;
      this.controller.abort();
    }, timeoutMs);
    signal?.addEventListener('abort', this.abandon, { once: true });
  }

  get ended(): AbortSignal {
    return this.controller.signal;
  }

  end(): void {
    clearTimeout(this.timer);
    this.signal?.removeEventListener('abort', this.abandon);
  }
}
