/**
 * Runs `work` under a limit, which calls `stop` to end it: when `signal` aborts, or after `timeoutMs`; at once if that was before. `stop`
 * may be called once for each of the two. (`AbortSignal.any` would do, but on Node 20 it leaks memory at a long-lived signal with each call.)
 */
export async function withLimit<Value>(
  { timeoutMs, signal }: { readonly timeoutMs?: number; readonly signal?: AbortSignal },
  stop: (why: 'timeout' | 'aborted') => void,
  work: () => Promise<Value>,
): Promise<Value> {
  const abort = () => stop('aborted');
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  if (timeoutMs !== undefined && timeoutMs <= 0) stop('timeout');
  const timer = timeoutMs !== undefined && timeoutMs > 0 ? setTimeout(stop, timeoutMs, 'timeout') : undefined;
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
