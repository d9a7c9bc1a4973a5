import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient, ErrorBody } from './api-client';

export interface Read {
  /** `'lost'`: the connection ended without an answer. */
  status: number | 'lost';
  error?: ErrorBody;
  startedAt: number;
  endedAt: number;
}

/** Reads one resource repeatedly and records each outcome. */
export class ReadLoad {
  readonly reads: Read[] = [];

  constructor(
    private readonly client: ApiClient,
    private readonly path: string,
  ) {}

  get tally(): Record<string, number> {
    const tally: Record<string, number> = {};
    for (const { status } of this.reads) tally[status] = (tally[status] ?? 0) + 1;
    return tally;
  }

  /** Starts a read every `everyMs` ms until `signal` aborts, without awaiting earlier ones. Resolves once all ended. */
  async trickle(everyMs: number, signal: AbortSignal): Promise<void> {
    const open: Promise<void>[] = [];
    while (!signal.aborted) {
      open.push(this.read());
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
    }
    await Promise.all(open);
  }

  private async read(): Promise<void> {
    const startedAt = performance.now();
    const answer = await this.client.get<ErrorBody>(this.path).catch(() => undefined);
    const status = answer?.status ?? 'lost';
    this.reads.push({ status, ...(status !== 200 && answer && { error: answer.body }), startedAt, endedAt: performance.now() });
  }
}
