/**
 * Aborts a call after its timeout, or with the caller's signal. (`AbortSignal.any` would do, but on Node 20 it leaks memory at the
 * caller's signal with each call.)
 */
export class CallLimit {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly abandon = (): void => this.controller.abort();
  /** The call timed out. */
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
