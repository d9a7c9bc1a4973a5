import { type ErrorShape, toErrorShape } from '@tidings/contracts/core/errors';
import { type JobName, jobs } from './jobs';

/** A job as it travels to a worker. */
export interface WorkerTask {
  readonly job: JobName;
  readonly input: never;
  /** One number, made 1 when the job begins: from then on its time counts. */
  readonly begun: SharedArrayBuffer;
}

/** An error travels as data: a thread's errors lose their class on the way. */
export type WorkerAnswer = { readonly ok: unknown } | { readonly error: ErrorShape; readonly cause?: string };

/** What a thread of the pool runs. */
export default function work({ job, input, begun }: WorkerTask): WorkerAnswer {
  const flag = new Int32Array(begun);
  Atomics.store(flag, 0, 1);
  Atomics.notify(flag, 0);
  try {
    return { ok: jobs[job](input) };
  } catch (error) {
    const shape = toErrorShape(error);
    return { error: shape, ...(shape.code === 'internal' && { cause: error instanceof Error ? error.stack : String(error) }) };
  }
}
