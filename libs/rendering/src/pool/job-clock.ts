/// <reference lib="es2024.sharedmemory" />
import { readFileSync, readlinkSync } from 'node:fs';

/** Elapsed time of a job in ms. `cpu` is absent when the platform does not measure it. `compiling` is for compilations that are cached. */
export type ElapsedTime = ReturnType<JobClock['elapsed']>;

const FLAGS = 2;
const [PHASE, THREAD] = [0, 1];
const [NOT_STARTED, RENDERING, COMPILING, NEVER_STARTED] = [0, 1, 2, 3];

/** Start of the job; time of finished compilations; start of the current one. In ns, for each of the two clocks. */
const [STARTED, COMPILED, COMPILING_SINCE] = [0, 1, 2];
const TIMES = 3;
const NS_PER_MS = 1e6;

/**
 * Measures a job: its thread records the start and its compilations in shared memory, the calling thread reads the elapsed time.
 * One clock per job.
 */
export class JobClock {
  private readonly flags: Int32Array;
  private readonly cpu: BigInt64Array;
  private readonly wall: BigInt64Array;
  /** Nested compilations count as one. */
  private depth = 0;

  constructor(readonly shared = new SharedArrayBuffer(4 * FLAGS + 2 * 8 * TIMES)) {
    this.flags = new Int32Array(shared, 0, FLAGS);
    this.cpu = new BigInt64Array(shared, 4 * FLAGS, TIMES);
    this.wall = new BigInt64Array(shared, 4 * FLAGS + 8 * TIMES, TIMES);
  }

  /** On the job's thread: starts the measurement. `thread` is the kernel's thread number, if available. */
  start(thread: number | undefined): void {
    Atomics.store(this.flags, THREAD, thread ?? 0);
    this.stamp(STARTED);
    Atomics.store(this.flags, PHASE, RENDERING);
    Atomics.notify(this.flags, PHASE);
  }

  /** On the job's thread: counts the time of `compile` as compilation. */
  timeCompile<Result>(compile: () => Result): Result {
    if (this.depth > 0) return compile();
    this.depth += 1;
    this.stamp(COMPILING_SINCE);
    Atomics.store(this.flags, PHASE, COMPILING);
    try {
      return compile();
    } finally {
      this.depth -= 1;
      for (const [times, now] of this.nows()) Atomics.add(times, COMPILED, now - Atomics.load(times, COMPILING_SINCE));
      Atomics.store(this.flags, PHASE, RENDERING);
    }
  }

  /** On the calling thread: resolves with true once the job has started, with false when it ended before. */
  async whenStarted(): Promise<boolean> {
    await Atomics.waitAsync(this.flags, PHASE, NOT_STARTED).value;
    return Atomics.load(this.flags, PHASE) !== NEVER_STARTED;
  }

  /** On the calling thread: ends the job and releases `whenStarted`. */
  end(): void {
    Atomics.compareExchange(this.flags, PHASE, NOT_STARTED, NEVER_STARTED);
    Atomics.notify(this.flags, PHASE);
  }

  /** On the calling thread, after the start. */
  elapsed() {
    const isCompiling = Atomics.load(this.flags, PHASE) === COMPILING;
    const [wall, cpu] = Array.from(this.nows(), ([times, now]) => {
      const at = (which: number) => Atomics.load(times, which);
      const compiling = at(COMPILED) + (isCompiling ? now - at(COMPILING_SINCE) : 0n);
      return { rendering: Number(now - at(STARTED) - compiling) / NS_PER_MS, compiling: Number(compiling) / NS_PER_MS };
    });
    return { wall: wall!, cpu };
  }

  private stamp(which: number) {
    for (const [times, now] of this.nows()) Atomics.store(times, which, now);
  }

  private *nows(): Generator<[times: BigInt64Array, now: bigint]> {
    yield [this.wall, process.hrtime.bigint()];
    const thread = Atomics.load(this.flags, THREAD);
    const cpuNs = thread > 0 ? threadCpuNs(thread) : undefined;
    if (cpuNs !== undefined) yield [this.cpu, cpuNs];
  }
}

/** Time limits of a job, in ms. */
export interface TimeLimits {
  /** Core time of its thread for rendering. */
  readonly renderingMs: number;
  /** Core time for cached compilations. */
  readonly compilingMs: number;
  /**
   * Wall time of either, longer than a busy machine needs. The only limit when the platform does not measure core time.
   */
  readonly overdueMs: number;
}

/** A check of the clock costs some microseconds. */
const CHECK_INTERVAL_MS_MIN = 2;

/**
 * Verdict on a running job: `rendering` or `compiling` exceeded its core time, `overdue` its wall time; a number is the delay in ms
 * until the next check.
 */
export function judge(
  { cpu, wall }: ElapsedTime,
  { renderingMs, compilingMs, overdueMs }: TimeLimits,
): 'rendering' | 'compiling' | 'overdue' | number {
  const wallLeft = overdueMs - Math.max(wall.rendering, wall.compiling);
  const renderingLeft = renderingMs - (cpu?.rendering ?? 0);
  const compilingLeft = compilingMs - (cpu?.compiling ?? 0);
  if (renderingLeft <= 0) return 'rendering';
  if (compilingLeft <= 0) return 'compiling';
  if (wallLeft <= 0) return 'overdue';
  return Math.max(CHECK_INTERVAL_MS_MIN, Math.min(wallLeft, renderingLeft, compilingLeft));
}

/** The kernel's number of the calling thread; undefined when the platform does not provide it. */
export function threadNumber(): number | undefined {
  try {
    return Number(/\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self'))?.[1]) || undefined;
  } catch {
    return undefined; // only Linux provides it
  }
}

/**
 * Core time of a thread of this process in nanoseconds, exact to a few milliseconds. Undefined when the platform does not provide
 * it. (Node's own figures cover the whole process and include the time in which a thread waits for a core.)
 */
function threadCpuNs(thread: number) {
  try {
    const [onCore = ''] = readFileSync(`/proc/self/task/${thread}/schedstat`, 'latin1').split(' ', 1);
    const ns = BigInt(onCore);
    return ns > 0n ? ns : undefined;
  } catch {
    return undefined; // not Linux, no such figure in this kernel, or the thread has ended
  }
}
