/** As the promise, but rejects as soon as the signal aborts: for a wait that several calls share. */
export function untilAborted<Value>(shared: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  if (!signal) return shared;
  return new Promise((resolve, reject) => {
    const abort = () => reject(new Error('The call was aborted'));
    signal.addEventListener('abort', abort, { once: true });
    void shared.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    if (signal.aborted) abort();
  });
}
