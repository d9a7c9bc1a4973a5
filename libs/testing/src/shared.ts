const running: (() => Promise<void>)[] = [];

/**
 * Something that the spec files of a worker share: started by the first that asks for it, ended with the run. Suites in it tell
 * themselves apart by workspace; one that harms it, counts its rows or reads its log lines starts its own.
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
      starting = undefined; // the next suite tries again
      throw error;
    }));
}

/** In jest's own process, after its suites. A worker of jest ends with all it has. */
export async function stopShared(): Promise<void> {
  for (const stop of running.splice(0).reverse()) await stop();
}
