/// <reference lib="es2024.sharedmemory" />
import { extname, join } from 'node:path';
import { availableParallelism } from 'node:os';
import { fromErrorShape, ServiceError, unavailable } from '@tidings/contracts/core/errors';
import Piscina from 'piscina';
import { FairQueue } from './fair-queue';
import type { JobName, Jobs } from './jobs';
import type { WorkerAnswer } from './render-worker';

export interface RenderPoolOptions {
  /** Default: one per core but one, at least two, at most `THREADS_MAX`. */
  readonly threads?: number;
  /** How long one job may run. Time in the queue and until a thread has started does not count. */
  readonly timeLimitMs?: number;
  /** Jobs of one workspace that may wait. */
  readonly queuedPerWorkspaceMax?: number;
  /** Node options of a thread. */
  readonly execArgv?: readonly string[];
}

export const TIME_LIMIT_MS = 1_000;
export const QUEUED_PER_WORKSPACE_MAX = 100;
const THREADS_MAX = 8;
/** A thread without work ends; the next job starts one again. */
const IDLE_TIMEOUT_MS = 30_000;
const THREAD_HEAP_MB_MAX = 256;

interface Waiting {
  readonly workspaceId: string;
  readonly start: () => void;
  readonly refuse: (error: Error) => void;
}

/**
 * Renders on other threads what may take long. A job that runs longer than the time limit is stopped with its thread, which is
 * replaced. No workspace holds the last free thread nor the queue: they take turns.
 */
export class RenderPool {
  private readonly threads: number;
  private readonly timeLimitMs: number;
  private readonly queue: FairQueue<Waiting>;
  private readonly piscina: Piscina;
  private readonly running = new Map<string, number>();
  private runningCount = 0;
  private closed = false;

  constructor({
    threads,
    timeLimitMs = TIME_LIMIT_MS,
    queuedPerWorkspaceMax = QUEUED_PER_WORKSPACE_MAX,
    execArgv,
  }: RenderPoolOptions = {}) {
    this.threads = threads ?? Math.min(THREADS_MAX, Math.max(2, availableParallelism() - 1));
    this.timeLimitMs = timeLimitMs;
    this.queue = new FairQueue(queuedPerWorkspaceMax);
    this.piscina = new Piscina({
      // Beside this file, as TypeScript when that is what runs.
      filename: join(__dirname, `render-worker${extname(__filename)}`),
      minThreads: 0,
      maxThreads: this.threads,
      idleTimeout: IDLE_TIMEOUT_MS,
      resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB_MAX },
      ...(execArgv && { execArgv: [...execArgv] }),
    });
  }

  /**
   * Does a job for a workspace. Throws what the job throws; `invalid_request` (`render_timeout…`) for one that ran too long or
   * took too much memory; `rate_limited` when too many of the workspace wait; `unavailable` once the pool is closed.
   */
  async run<Name extends JobName>(workspaceId: string, job: Name, input: Parameters<Jobs[Name]>[0]): Promise<ReturnType<Jobs[Name]>> {
    await this.turnOf(workspaceId);
    try {
      return (await this.runNow(job, input)) as ReturnType<Jobs[Name]>;
    } finally {
      this.count(workspaceId, -1);
      this.startNext();
    }
  }

  /** Stops what runs and refuses what waits. */
  async close(): Promise<void> {
    this.closed = true;
    for (const { refuse } of this.queue.drain()) refuse(closedError());
    await this.piscina.destroy();
  }

  private turnOf(workspaceId: string): Promise<void> {
    return new Promise((start, refuse) => {
      if (this.closed) return refuse(closedError());
      if (!this.queue.add(workspaceId, { workspaceId, start, refuse })) {
        return refuse(new ServiceError('rate_limited', 'Too many renderings of this workspace are waiting; try again in a moment'));
      }
      this.startNext();
    });
  }

  private startNext(): void {
    while (this.runningCount < this.threads) {
      const next = this.queue.take((workspaceId) => this.mayRun(workspaceId));
      if (!next) return;
      this.count(next.workspaceId, 1);
      next.start();
    }
  }

  /** One thread is left to the others, where there is more than one. */
  private mayRun(workspaceId: string): boolean {
    return (this.running.get(workspaceId) ?? 0) < Math.max(1, this.threads - 1);
  }

  private count(workspaceId: string, change: number): void {
    this.runningCount += change;
    const count = (this.running.get(workspaceId) ?? 0) + change;
    if (count > 0) this.running.set(workspaceId, count);
    else this.running.delete(workspaceId);
  }

  private async runNow(job: JobName, input: unknown): Promise<unknown> {
    const begun = new SharedArrayBuffer(4);
    const flag = new Int32Array(begun);
    const stop = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    let ended = false;
    void whenBegun(flag).then((wasJob) => {
      if (wasJob && !ended) timer = setTimeout(() => stop.abort(), this.timeLimitMs);
    });
    let answer: WorkerAnswer;
    try {
      answer = (await this.piscina.run({ job, input, begun }, { signal: stop.signal })) as WorkerAnswer;
    } catch (error) {
      throw this.closed ? closedError() : this.explain(error, stop.signal.aborted);
    } finally {
      ended = true;
      clearTimeout(timer);
      Atomics.compareExchange(flag, 0, NOT_BEGUN, NEVER_BEGUN);
      Atomics.notify(flag, 0);
    }
    if ('ok' in answer) return answer.ok;
    throw Object.assign(fromErrorShape(answer.error), answer.cause !== undefined && { cause: answer.cause });
  }

  private explain(error: unknown, wasStopped: boolean): Error {
    if (wasStopped) {
      return new ServiceError('invalid_request', `render_timeout: rendering took longer than ${this.timeLimitMs} ms and was stopped`);
    }
    if ((error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY') {
      return new ServiceError('invalid_request', `render_memory: rendering took more than ${THREAD_HEAP_MB_MAX} MB and was stopped`);
    }
    return error instanceof Error ? error : new Error(String(error));
  }
}

const NOT_BEGUN = 0;
const BEGUN = 1;
const NEVER_BEGUN = 2;

/** Resolves once the flag is raised: true when by the job, false when the job ended without. */
async function whenBegun(flag: Int32Array): Promise<boolean> {
  await Atomics.waitAsync(flag, 0, NOT_BEGUN).value;
  return Atomics.load(flag, 0) === BEGUN;
}

function closedError(): ServiceError {
  return unavailable('This process is stopping and renders no more');
}
