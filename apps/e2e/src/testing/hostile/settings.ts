/** Seed of the generated requests; ids drawn by the product still differ. Set `SEED` by hand to vary the requests. */
export const SEED = Number(process.env.SEED ?? 20_261_121);

/** Size of a campaign. */
export interface Length {
  /** Valid requests to each operation per round. */
  readonly made: number;
  readonly roundsMax: number;
  /** Hostile requests to each operation. */
  readonly runs: number;
}
/** Too short for every operation to succeed once. */
export const QUICK: Length = { made: 1, roundsMax: 2, runs: 1 };
/** Every operation succeeds once. */
export const FULL: Length = { made: 8, roundsMax: 6, runs: 8 };
/** Before a release. Set `RUNS` by hand for a longer run. */
export const LONG: Length = { made: 8, roundsMax: 6, runs: Number(process.env.RUNS ?? 30) };

/** Upper bound for one request to each of a hundred operations, including huge ones on a busy machine. */
const RUN_MS_MAX = 30_000;
const REST_MS_MAX = 300_000;

/** Test timeout in ms for a campaign of this length; far above the usual duration. */
export const testMsMax = ({ runs }: Length): number => REST_MS_MAX + runs * RUN_MS_MAX;

/** Faults printed at once; the others usually have the same causes. */
export const FAULTS_SHOWN_MAX = 20;

/** Matches an error or fatal line of the product's log, in text or JSON form. */
export const FAILURE_IN_LOG = /^\S+ +(?:ERROR|FATAL) .*|.*"level":"(?:error|fatal)".*/m;
