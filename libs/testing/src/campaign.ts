/** Repetitions of a random test: `quick` in `npm test`, `full` in `npm run test:full`. */
export function timesOf({ quick, full }: { quick: number; full: number }): number {
  return process.env.TEST_TIER === 'full' ? full : quick;
}
