import { threadCpuNs, threadNumber } from './thread-time';

/**
 * The longest blocking of this thread's event loop during `work`, in ms. Measures time on a core when the platform provides it, so
 * other load of the machine does not count.
 */
export async function longestBlockMs(work: Promise<unknown>): Promise<number> {
  const thread = threadNumber();
  const nowMs = (): number => Number((thread && threadCpuNs(thread)) || process.hrtime.bigint()) / 1e6;
  let isOver = false;
  const over = work.finally(() => (isOver = true));
  over.catch(() => undefined);
  let longest = 0;
  while (!isOver) {
    const before = nowMs();
    await new Promise((resolve) => setTimeout(resolve, 1));
    longest = Math.max(longest, nowMs() - before);
  }
  await over;
  return longest;
}
