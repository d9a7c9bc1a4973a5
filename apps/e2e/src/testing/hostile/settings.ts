/** The same requests for the same seed, as far as the ids that the product draws allow. By hand: another seed finds other things. */
export const SEED = Number(process.env.SEED ?? 20_261_121);

/** How long a campaign is. */
export interface Length {
  /** Valid requests to each operation, in so many rounds at most. */
  readonly made: number;
  readonly roundsMax: number;
  /** Hostile requests to each. */
  readonly runs: number;
}
/** Too short for some operations to be done even once. */
export const QUICK: Length = { made: 2, roundsMax: 2, runs: 2 };
/** `RUNS`: more than the default for a long run by hand. */
export const FULL: Length = { made: 8, roundsMax: 6, runs: Number(process.env.RUNS ?? 30) };

/** Time of one request to each of a hundred operations, huge ones on a busy machine included. */
const RUN_MS_MAX = 30_000;
const REST_MS_MAX = 300_000;

/** How long a test of so many runs may take: a guard, it is far quicker. */
export const testMsMax = ({ runs }: Length): number => REST_MS_MAX + runs * RUN_MS_MAX;

/** So many faults are told of at once; the others have the same causes, as a rule. */
export const FAULTS_SHOWN_MAX = 20;

/** A line of the product's log, as a person or a program reads it, that says that something failed. */
export const FAILURE_IN_LOG = /^\S+ +(?:ERROR|FATAL) .*|.*"level":"(?:error|fatal)".*/m;
