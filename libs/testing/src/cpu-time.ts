const PARTS = 16;
/** Allowed ratio of CPU times of the whole and a part; quadratic time has a ratio of 256. */
const RATIO_MAX = 6 * PARTS;
/** Below it the garbage collector and the compiler dominate the measurement. */
const NOISE_MS = 250;
/** A measurement is repeated while it is too long: garbage collection and compilation by other threads count too. */
const TRIES = 10;

/** CPU time of this process during `work`, in ms; excludes time in which a busy machine gives it no core. */
export function cpuMsOf(work: () => Promise<unknown>): Promise<number>;
export function cpuMsOf(work: () => unknown): number;
export function cpuMsOf(work: () => unknown): number | Promise<number> {
  const before = process.cpuUsage();
  const spentMs = (): number => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  const result = work();
  return result instanceof Promise ? result.then(spentMs) : spentMs();
}

/** Minimum of a few measurements, which excludes other work of the process. */
function leastCpuMsOf(work: () => unknown, goodMs: number): number {
  let least = Infinity;
  for (let tries = 0; tries < TRIES && least > goodMs; tries++) least = Math.min(least, cpuMsOf(work));
  return least;
}

/**
 * Fails when the CPU time of `work` is quadratic in its size; compares a sixteenth of `size` with the whole.
 * @param noiseMs CPU time in ms that never counts as quadratic.
 */
export function expectLinear(size: number, work: (size: number) => unknown, noiseMs = NOISE_MS): void {
  work(Math.ceil(size / PARTS)); // warm-up, so that the code is compiled
  const partMs = leastCpuMsOf(() => work(Math.ceil(size / PARTS)), 0);
  const maxMs = Math.max(noiseMs, RATIO_MAX * partMs);
  const wholeMs = leastCpuMsOf(() => work(size), maxMs);
  expect({ wholeMs, partMs, isLinear: wholeMs <= maxMs }).toMatchObject({ isLinear: true });
}

/** Runs `work` and ignores its error, for tests of its CPU time. */
export function whatever(work: () => unknown): void {
  try {
    work();
  } catch {
    // The result does not matter.
  }
}
