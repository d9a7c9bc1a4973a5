import { extname, join } from 'node:path';
import { availableParallelism } from 'node:os';
import { fromErrorShape, ServiceError, unavailable } from '@tidings/contracts/core/errors';
import { invalid } from '@tidings/contracts/core/refusals';
import { withLimit } from '@tidings/contracts/core/with-limit';
import Piscina from 'piscina';
import { FairQueue } from './fair-queue';
import { JobClock, judge, type TimeLimits } from './job-clock';
import type { JobName, Jobs } from './jobs';
import type { WorkerAnswer, WorkerTask } from './render-worker';

export interface RenderPoolOptions {
  /** Default: cores minus one, at least two, at most `THREADS_MAX`. */
  readonly threads?: number;
  /**
   * Core time of one job in ms, 1,000 by default; on a busy machine it may take longer. Time in the queue, for the start of a thread,
   * and for cached compilations does not count.
   */
  readonly timeLimitMs?: number;
  /** Wall time in ms after which a job is stopped, independently of its core time. Default: 10,000. */
  readonly overdueMs?: number;
  /** Maximum waiting jobs of one workspace. Default: 100. */
  readonly queuedPerWorkspaceMax?: number;
  /** Node options of a thread. */
  readonly execArgv?: readonly string[];
}

/** Core time of one job for cached compilations: packages, catalogues, brands. */
const COMPILING_LIMIT_MS = 5_000;
const THREADS_MAX = 8;
/** A thread without work ends; the next job starts one again. */
const IDLE_TIMEOUT_MS = 30_000;
const THREAD_HEAP_MB_MAX = 256;

const LATE = 'Rendering was not finished before the deadline of this call, since other renderings of this workspace take long; try again';

/** Options of a caller for its job. */
interface RunOptions {
  /** Deadline in ms of `performance.now()`. A later job does not start, a running one is stopped. Default: never. */
  readonly endBy?: number;
  /** Ends the job as `endBy` does; the job rejects with its reason. */
  readonly signal?: AbortSignal;
  /** Queued after all other jobs of its workspace. */
  readonly yields?: boolean;
}

interface Waiting {
  readonly workspaceId: string;
  readonly start: () => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * Runs slow renderings on other threads. A job above the time limit is stopped with its thread, which is replaced. Workspaces are
 * served round-robin, and none may occupy the last free thread.
 */
export class RenderPool {
  private readonly threads: number;
  private readonly limits: TimeLimits;
  private readonly queue: FairQueue<Waiting>;
  private readonly piscina: Piscina;
  private readonly running = new Map<string, number>();
  private runningCount = 0;
  private closed = false;

  constructor({
    threads = Math.min(THREADS_MAX, Math.max(2, availableParallelism() - 1)),
    timeLimitMs = 1_000,
    overdueMs = 10_000,
    queuedPerWorkspaceMax = 100,
    execArgv,
  }: RenderPoolOptions = {}) {
    this.threads = threads;
    this.limits = { renderingMs: timeLimitMs, compilingMs: COMPILING_LIMIT_MS, overdueMs };
    this.queue = new FairQueue(queuedPerWorkspaceMax);
    this.piscina = new Piscina({
      // Beside this file; TypeScript when this file runs as TypeScript.
      filename: join(__dirname, `render-worker${extname(__filename)}`),
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: IDLE_TIMEOUT_MS,
      resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB_MAX },
      ...(execArgv && { execArgv: [...execArgv] }),
    });
  }

  /**
   * Runs a job for a workspace. Throws the job's errors; `invalid_request` (`render_timeout…`) for one that ran too long or used too
   * much memory; `rate_limited` when too many jobs of the workspace wait; `unavailable` once the pool is closed, or when the job
   * misses its deadline.
   */
  async run<Name extends JobName>(
    workspaceId: string,
    job: Name,
    input: Parameters<Jobs[Name]>[0],
    { endBy, signal, yields = false }: RunOptions = {},
  ): Promise<ReturnType<Jobs[Name]>> {
    const over = new AbortController();
    const stop = (why: 'timeout' | 'aborted') => over.abort(why === 'timeout' ? unavailable(LATE) : signal?.reason);
    return withLimit({ timeoutMs: endBy && endBy - performance.now(), signal }, stop, async () => {
      await this.waitForThread(workspaceId, over.signal, yields);
      try {
        return (await this.runNow(job, input, over.signal)) as ReturnType<Jobs[Name]>;
      } finally {
        this.count(workspaceId, -1);
        this.startNext();
      }
    });
  }

  /** Concurrent jobs of one workspace. */
  get threadsPerWorkspace(): number {
    return Math.max(1, this.threads - 1);
  }

  /** Stops running jobs and refuses waiting ones. */
  async close(): Promise<void> {
    this.closed = true;
    for (const { refuse } of this.queue.drain()) refuse(closedError());
    await this.piscina.destroy();
  }

  private async waitForThread(workspaceId: string, signal: AbortSignal, yields: boolean) {
    signal.throwIfAborted();
    if (this.closed) throw closedError();
    let entry!: Waiting;
    const started = new Promise<void>((start, refuse) => (entry = { workspaceId, start, refuse }));
    if (!this.queue.add(workspaceId, entry, yields)) {
      throw new ServiceError('rate_limited', 'Too many renderings of this workspace are waiting; try again in a moment');
    }
    const cancel = () => {
      this.queue.remove(workspaceId, entry);
      entry.refuse(signal.reason);
    };
    this.startNext();
    await withLimit({ signal }, cancel, () => started);
  }

  private startNext() {
    while (this.runningCount < this.threads) {
      // Reserves one thread for other workspaces when there are several.
      const next = this.queue.next((workspaceId) => (this.running.get(workspaceId) ?? 0) < this.threadsPerWorkspace);
      if (!next) return;
      this.count(next.workspaceId, 1);
      next.start();
    }
  }

  private count(workspaceId: string, change: number) {
    this.runningCount += change;
    const count = (this.running.get(workspaceId) ?? 0) + change;
    if (count > 0) this.running.set(workspaceId, count);
    else this.running.delete(workspaceId);
  }

  /** Retries once a job that was overdue in wall time but not in core time. */
  private async runNow(job: JobName, input: unknown, signal: AbortSignal, isRetry = false): Promise<unknown> {
    try {
      return await this.attempt(job, input, signal);
    } catch (error) {
      if (!(error instanceof Overdue)) throw error;
      if (!isRetry) return await this.runNow(job, input, signal, true);
      throw error.isMeasured ? unavailable('The machine is too busy to render') : tooSlow(this.limits.overdueMs);
    }
  }

  private async attempt(job: JobName, input: unknown, signal: AbortSignal) {
    signal.throwIfAborted();
    const clock = new JobClock();
    const stop = new AbortController();
    const endWatch = this.watch(clock, stop);
    const task: WorkerTask = { job, input: input as never, clock: clock.shared };
    const run = (): Promise<unknown> => this.piscina.run(task, { signal: stop.signal });
    let answer: WorkerAnswer;
    try {
      answer = (await withLimit({ signal }, () => stop.abort(signal.reason), run)) as WorkerAnswer;
    } catch (error) {
      throw this.closed ? closedError() : explain(error, stop.signal);
    } finally {
      endWatch();
    }
    if ('ok' in answer) return answer.ok;
    throw Object.assign(fromErrorShape(answer.error), answer.cause !== undefined && { cause: answer.cause });
  }

  /** Checks a job's clock until the returned function ends it; `stop` ends the job, with its error as the reason. */
  private watch(clock: JobClock, stop: AbortController) {
    let timer: NodeJS.Timeout | undefined;
    let ended = false;
    const check = () => {
      const elapsed = clock.elapsed();
      const verdict = judge(elapsed, this.limits);
      if (typeof verdict === 'number') timer = setTimeout(check, verdict);
      else stop.abort(verdict === 'overdue' ? new Overdue(elapsed.cpu !== undefined) : tooSlow(this.limits[`${verdict}Ms`]));
    };
    void clock.whenStarted().then((hasStarted) => {
      if (hasStarted && !ended) timer = setTimeout(check, Math.min(this.limits.renderingMs, this.limits.overdueMs));
    });
    return () => {
      ended = true;
      clearTimeout(timer);
      clock.end();
    };
  }
}

/** The job exceeded its wall time. */
class Overdue extends Error {
  /** @param isMeasured whether the platform measures core time: then the job lacked a core. */
  constructor(readonly isMeasured: boolean) {
    super('The job is overdue');
  }
}

function tooSlow(limitMs: number) {
  return invalid(`render_timeout: rendering took longer than ${limitMs} ms and was stopped`);
}

function explain(error: unknown, stopped: AbortSignal) {
  if (stopped.aborted) return stopped.reason as Error;
  if ((error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return invalid(`render_memory: rendering took more than ${THREAD_HEAP_MB_MAX} MB and was stopped`);
  }
  return error instanceof Error ? error : new Error(String(error));
}

function closedError() {
  return unavailable('This process is stopping and accepts no renderings');
}
