const PARTS = 16;
/** A square grows by 256 from a part to the whole. */
const GROWTH_MAX = 6 * PARTS;
/** Below it the collector and the compiler are most of what is measured. */
const NOISE_MS = 50;
const TRIES = 3;

/** CPU time of this process while `work` is done, in ms: time in which a busy machine gives it no core is not counted. */
export function cpuMsOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** The least of a few: what else the process does meanwhile is not taken for the work. */
function leastCpuMsOf(work: () => unknown, goodMs: number): number {
  let least = Infinity;
  for (let tries = 0; tries < TRIES && least > goodMs; tries++) least = Math.min(least, cpuMsOf(work));
  return least;
}

/** Fails where the CPU time of `work` grows as a square of its size does: a sixteenth of `size` is compared with the whole. */
export function expectLinear(size: number, work: (size: number) => unknown): void {
  work(Math.ceil(size / PARTS)); // compiled from then on
  const partMs = leastCpuMsOf(() => work(Math.ceil(size / PARTS)), 0);
  const mostMs = Math.max(NOISE_MS, GROWTH_MAX * partMs);
  const wholeMs = leastCpuMsOf(() => work(size), mostMs);
  expect({ wholeMs, partMs, isLinear: wholeMs <= mostMs }).toMatchObject({ isLinear: true });
}

/** `work`, however it ends: what is tested is what it takes. */
export function whatever(work: () => unknown): void {
  try {
    work();
  } catch {
    // Done or refused.
  }
}
