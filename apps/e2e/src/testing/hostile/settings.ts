/** The same requests for the same seed, as far as the ids that the product draws allow. By hand: another seed finds other things. */
export const SEED = Number(process.env.SEED ?? 20_261_121);
/** Hostile requests to each operation; more than the default for a long run by hand. */
export const RUNS = Number(process.env.RUNS ?? 40);

/** Time of one request to each of a hundred operations, huge ones on a busy machine included. */
const RUN_MS_MAX = 30_000;
const REST_MS_MAX = 300_000;

/** How long a test of so many runs may take: a guard, it is far quicker. */
export const TEST_MS_MAX = REST_MS_MAX + RUNS * RUN_MS_MAX;

/** So many faults are told of at once; the others have the same causes, as a rule. */
export const FAULTS_SHOWN_MAX = 20;

/** A line of the product's log, as a person or a program reads it, that says that something failed. */
export const FAILURE_IN_LOG = /^\S+ +(?:ERROR|FATAL) .*|.*"level":"(?:error|fatal)".*/m;
