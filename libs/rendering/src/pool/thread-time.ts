import { readFileSync, readlinkSync } from 'node:fs';

/** The kernel's number of the calling thread; undefined where the platform does not say it. */
export function threadNumber(): number | undefined {
  try {
    return Number(/\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self'))?.[1]) || undefined;
  } catch {
    return undefined; // only Linux has it
  }
}

/**
 * How long a thread of this process has had a core, in nanoseconds, exact to a few milliseconds. Undefined where the platform
 * does not say it. (Node's own figures are of the whole process, and count the time in which a thread waits for a core.)
 */
export function threadCpuNs(thread: number): bigint | undefined {
  try {
    const [onCore = ''] = readFileSync(`/proc/self/task/${thread}/schedstat`, 'latin1').split(' ', 1);
    const ns = BigInt(onCore);
    return ns > 0n ? ns : undefined;
  } catch {
    return undefined; // not Linux, no such figure in this kernel, or the thread has ended
  }
}
