import { readFileSync, readlinkSync } from 'node:fs';

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
export function threadCpuNs(thread: number): bigint | undefined {
  try {
    const [onCore = ''] = readFileSync(`/proc/self/task/${thread}/schedstat`, 'latin1').split(' ', 1);
    const ns = BigInt(onCore);
    return ns > 0n ? ns : undefined;
  } catch {
    return undefined; // not Linux, no such figure in this kernel, or the thread has ended
  }
}
