import { type ErrorShape, toErrorShape } from '@tidings/contracts/core/errors';
import { setCompileTimer } from '../time-compile';
import { JobClock } from './job-clock';
import { type JobName, jobs } from './jobs';
import { threadNumber } from './thread-time';

/** A job as it travels to a worker. */
export interface WorkerTask {
  readonly job: JobName;
  readonly input: never;
  /** Of the job's `JobClock`. */
  readonly clock: SharedArrayBuffer;
}

/** An error travels as data: a thread's errors lose their class on the way. */
export type WorkerAnswer = { readonly ok: unknown } | { readonly error: ErrorShape; readonly cause?: string };

const thread = threadNumber();

/** What a thread of the pool runs, one job after the other. */
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
