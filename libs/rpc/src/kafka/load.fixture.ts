import type { ErrorCode } from '@tidings/contracts/core/errors';
import { ServiceError } from '@tidings/contracts/core/errors';
import { setTimeout as delay } from 'node:timers/promises';
import { caller, greetings } from '../greetings.fixture';
import type { OperationClient } from '../operation-client';

/** Pause of a caller after an error. */
const PAUSE_AFTER_ERROR_MS = 50;
const SAMPLE_INTERVAL_MS = 100;

export interface Ended {
  kind: 'read' | 'command';
  /** Start and end of the call, by `performance.now()`. */
  from: number;
  to: number;
  error?: ErrorCode | 'foreign';
}

/** Callers that make one call after another until they are stopped; records every call's end. */
export class Load {
  readonly ended: Ended[] = [];
  /** Longest pause of this process, in ms: a deadline may be noticed this much later. */
  longestPauseMs = 0;
  private open = 0;
  private readonly running: Promise<unknown>;
  private stopped = false;

  constructor(
    private readonly client: OperationClient,
    { readers, commanders, deadlineMs = 5_000 }: { readers: number; commanders: number; deadlineMs?: number },
  ) {
    this.running = Promise.all([
      ...Array.from({ length: readers }, () => this.run('read', deadlineMs)),
      ...Array.from({ length: commanders }, () => this.run('command', 2 * deadlineMs)),
      this.watchPauses(),
    ]);
  }

  /** Ends the load, and resolves when every call has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  get answered(): number {
    return this.ended.filter(({ error }) => !error).length;
  }

  failed(kind: Ended['kind']): Ended[] {
    return this.ended.filter((call) => call.error && call.kind === kind);
  }

  /** Longest duration of the calls that ended after `since`, in ms. */
  longestMs(since = 0): number {
    return Math.round(Math.max(0, ...this.ended.filter(({ to }) => to > since).map(({ from, to }) => to - from)));
  }

  private async watchPauses(): Promise<void> {
    while (!this.stopped) {
      const from = performance.now();
      await delay(SAMPLE_INTERVAL_MS);
      this.longestPauseMs = Math.max(this.longestPauseMs, performance.now() - from - SAMPLE_INTERVAL_MS);
    }
  }

  private async run(kind: Ended['kind'], deadlineMs: number): Promise<void> {
    while (!this.stopped) {
      const from = performance.now();
      const request = { name: 'Ada' };
      const call =
        kind === 'read'
          ? this.client.call(greetings.greet, caller, request, { deadlineMs })
          : this.client.call(greetings.forget, caller, request, { deadlineMs });
      this.open += 1;
      const error = await call.then(
        () => undefined,
        (failure: unknown) => (failure instanceof ServiceError ? failure.code : 'foreign'),
      );
      this.open -= 1;
      this.ended.push({ kind, from, to: performance.now(), ...(error && { error }) });
      if (error) await delay(PAUSE_AFTER_ERROR_MS);
    }
  }
}

/** Prints the number of each outcome. */
export function report(scenario: string, load: Load, more: Record<string, unknown> = {}): void {
  const outcomes: Record<string, number> = {};
  for (const { kind, error = 'answered' } of load.ended) outcomes[`${kind} ${error}`] = (outcomes[`${kind} ${error}`] ?? 0) + 1;
  const counts = { ...outcomes, 'longest ms': load.longestMs(), ...more };
  const text = Object.entries(counts).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  process.stderr.write(`${scenario}: ${text.join(', ')}\n`);
}
