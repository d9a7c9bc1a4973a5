import { unavailable } from '@tidings/contracts/core/errors';

/**
 * Runs at most `limit` pieces of work at once; up to `queueMax` more wait in order of arrival. Further ones are refused at once
 * with `unavailable`, so that the queue stays bounded.
 */
export class ConcurrencyLimiter {
  private running = 0;
  private readonly queue: (() => void)[] = [];

  constructor(
    private readonly limit: number,
    private readonly queueMax: number,
  ) {}

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.running >= this.limit) {
      if (this.queue.length >= this.queueMax) throw unavailable('Too many calls are waiting');
      await new Promise<void>((start) => this.queue.push(start));
    } else {
      this.running += 1;
    }
    try {
      return await work();
    } finally {
      const next = this.queue.shift();
      if (next) next();
      else this.running -= 1;
    }
  }

  get idle(): boolean {
    return this.running === 0;
  }
}
