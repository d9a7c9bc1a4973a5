const running: (() => Promise<void>)[] = [];

/**
 * A service or system that the spec files of a worker share: started at the first call, ended with the run. Suites use workspaces
 * of their own; one that breaks it, counts its rows or reads its log lines starts its own.
 */
export function shared<Started extends { stop(): Promise<void> }>(start: () => Promise<Started>): () => Promise<Started> {
  let starting: Promise<Started> | undefined;
  const begin = async (): Promise<Started> => {
    const started = await start();
    running.push(() => started.stop());
    const stop = (): Promise<void> => Promise.reject(new Error('Shared with other suites: it stops with the run'));
    return Object.assign(Object.create(started as object) as Started, { stop });
  };
  return () =>
    (starting ??= begin().catch((error: unknown) => {
      starting = undefined; // the next call retries
      throw error;
    }));
}

/** Ends everything shared in jest's own process, after its suites. A jest worker ends together with its own. */
export async function stopShared(): Promise<void> {
  for (const stop of running.splice(0).reverse()) await stop();
}
