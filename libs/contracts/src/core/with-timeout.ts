/** Waits for `work` at most `ms`: resolves with its value in an object, or with `undefined` when it is late. Rejects as `work` does. */
export async function withTimeout<Value>(ms: number, work: Promise<Value>): Promise<{ value: Value } | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(0, ms));
  });
  try {
    return await Promise.race([work.then((value) => ({ value })), late]);
  } finally {
    clearTimeout(timer);
  }
}
