/// <reference lib="es2024.sharedmemory" />
import { threadCpuNs } from './thread-time';

/** What a job has taken so far, in ms. `cpu` is absent where the platform does not say it. */
export interface ElapsedTime {
  readonly cpu?: Elapsed;
  readonly wall: Elapsed;
}

interface Elapsed {
  readonly rendering: number;
  /** Reading what is kept for others too. */
  readonly reading: number;
}

const FLAGS = 2;
const [PHASE, THREAD] = [0, 1];
const [NOT_STARTED, RENDERING, READING, NEVER_STARTED] = [0, 1, 2, 3];

/** When the job started; what its readings took that are over; when the open one started. In ns, for each of the two clocks. */
const [STARTED, READ, READING_SINCE] = [0, 1, 2];
const TIMES = 3;
const NS_PER_MS = 1e6;

/**
 * Times a job: its thread says when it begins and when it reads something, the calling thread asks meanwhile what it has taken. One
 * for each job, in memory that both share.
 */
export class JobClock {
  private readonly flags: Int32Array;
  private readonly cpu: BigInt64Array;
  private readonly wall: BigInt64Array;
  /** A reading may need another one: both are one. */
  private depth = 0;

  constructor(readonly shared = new SharedArrayBuffer(4 * FLAGS + 2 * 8 * TIMES)) {
    this.flags = new Int32Array(shared, 0, FLAGS);
    this.cpu = new BigInt64Array(shared, 4 * FLAGS, TIMES);
    this.wall = new BigInt64Array(shared, 4 * FLAGS + 8 * TIMES, TIMES);
  }

  /** On the job's thread: from now on its time counts. `thread` is its number where that is known. */
  start(thread: number | undefined): void {
    Atomics.store(this.flags, THREAD, thread ?? 0);
    this.stamp(STARTED);
    Atomics.store(this.flags, PHASE, RENDERING);
    Atomics.notify(this.flags, PHASE);
  }

  /** On the job's thread: what `read` takes is reading. */
  timeCompile<Result>(read: () => Result): Result {
    if (this.depth > 0) return read();
    this.depth += 1;
    this.stamp(READING_SINCE);
    Atomics.store(this.flags, PHASE, READING);
    try {
      return read();
    } finally {
      this.depth -= 1;
      for (const [times, now] of this.nows()) Atomics.add(times, READ, now - Atomics.load(times, READING_SINCE));
      Atomics.store(this.flags, PHASE, RENDERING);
    }
  }

  /** On the calling thread: resolves once the job has begun, or has ended without (false). */
  async whenStarted(): Promise<boolean> {
    await Atomics.waitAsync(this.flags, PHASE, NOT_STARTED).value;
    return Atomics.load(this.flags, PHASE) !== NEVER_STARTED;
  }

  /** On the calling thread: the job is over; who waits for its beginning waits no more. */
  end(): void {
    Atomics.compareExchange(this.flags, PHASE, NOT_STARTED, NEVER_STARTED);
    Atomics.notify(this.flags, PHASE);
  }

  /** On the calling thread, once it has begun. */
  elapsed(): ElapsedTime {
    const isReading = Atomics.load(this.flags, PHASE) === READING;
    let [wall, cpu]: [Elapsed | undefined, Elapsed | undefined] = [undefined, undefined];
    for (const [times, now] of this.nows()) {
      const [started, read, since] = [STARTED, READ, READING_SINCE].map((which) => Atomics.load(times, which)) as [bigint, bigint, bigint];
      const reading = read + (isReading ? now - since : 0n);
      const elapsed = { rendering: Number(now - started - reading) / NS_PER_MS, reading: Number(reading) / NS_PER_MS };
      if (times === this.wall) wall = elapsed;
      else cpu = elapsed;
    }
    return { ...(cpu && { cpu }), wall: wall! };
  }

  private stamp(which: number): void {
    for (const [times, now] of this.nows()) Atomics.store(times, which, now);
  }

  private *nows(): Generator<[times: BigInt64Array, now: bigint]> {
    yield [this.wall, process.hrtime.bigint()];
    const thread = Atomics.load(this.flags, THREAD);
    const cpuNs = thread > 0 ? threadCpuNs(thread) : undefined;
    if (cpuNs !== undefined) yield [this.cpu, cpuNs];
  }
}
