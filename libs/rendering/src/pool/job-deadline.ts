import { unavailable } from '@tidings/contracts/core/errors';

/** How long somebody waits for a job: one signal of an instant and of a signal, each where there is one. */
export class JobDeadline {
  private readonly over = new AbortController();
  private readonly timer: NodeJS.Timeout | undefined;
  private readonly abort = (): void => this.over.abort(this.outer?.reason);
  private readonly outer: AbortSignal | undefined;

  constructor({ endBy, signal }: { readonly endBy?: number; readonly signal?: AbortSignal }) {
    this.outer = signal;
    if (signal?.aborted) {
      this.abort();
      return;
    }
    signal?.addEventListener('abort', this.abort);
    if (endBy === undefined) return;
    const leftMs = endBy - performance.now();
    if (leftMs <= 0) this.over.abort(late());
    else this.timer = setTimeout(() => this.over.abort(late()), leftMs);
  }

  /** Aborted with the error that the job ends with. */
  get signal(): AbortSignal {
    return this.over.signal;
  }

  /** Nothing is awaited any more. */
  end(): void {
    clearTimeout(this.timer);
    this.outer?.removeEventListener('abort', this.abort);
  }
}

function late(): Error {
  return unavailable('Rendering was not done in the time of this call, as other renderings of this workspace take long; try again');
}
