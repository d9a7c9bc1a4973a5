import { type ErrorShape, toErrorShape } from '@tidings/contracts/core/errors';
import { setCompileTimer } from '../compile-cache';
import { JobClock, threadNumber } from './job-clock';
import { type JobName, jobs } from './jobs';

/** A job as sent to a worker. */
export interface WorkerTask {
  readonly job: JobName;
  readonly input: never;
  /** Memory of the job's `JobClock`. */
  readonly clock: SharedArrayBuffer;
}

/** Errors are sent as data, since they lose their class between threads. */
export type WorkerAnswer = { readonly ok: unknown } | { readonly error: ErrorShape; readonly cause?: string };

const thread = threadNumber();

/** Entry of a pool thread; runs one job at a time. */
export default function work({ job, input, clock: shared }: WorkerTask): WorkerAnswer {
  const clock = new JobClock(shared);
  setCompileTimer((compile) => clock.timeCompile(compile));
  clock.start(thread);
  try {
    return { ok: jobs[job](input) };
  } catch (error) {
    const shape = toErrorShape(error);
    return { error: shape, ...(shape.code === 'internal' && { cause: error instanceof Error ? error.stack : String(error) }) };
  }
}
