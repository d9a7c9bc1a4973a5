import { unavailable } from '@tidings/contracts/core/errors';

/** Deadline of a job: one signal that combines an instant and a caller's signal, each optional. */
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

  /** Releases the timer and the listener. */
  end(): void {
    clearTimeout(this.timer);
    this.outer?.removeEventListener('abort', this.abort);
  }
}

function late(): Error {
  return unavailable(
    'Rendering was not finished before the deadline of this call, since other renderings of this workspace take long; try again',
  );
}
