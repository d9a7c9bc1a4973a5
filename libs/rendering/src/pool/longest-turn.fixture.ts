import { threadCpuNs, threadNumber } from './thread-time';

/**
 * The longest that others of this thread had to wait for their turn while `work` was done, in ms. Counted is the time on a core
 * (where the platform says it), so what else the machine does meanwhile is not taken for ours.
 */
export async function longestTurnMs(work: Promise<unknown>): Promise<number> {
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
