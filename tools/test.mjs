/**
 * `npm test`: installs and builds when needed, then runs the suites `*.spec.ts`; `npm run test:full` (`--full`) runs
 * `*.full.spec.ts` and `*.alone.spec.ts` as well, `npm run test:release` (`--release`) the suites `*.release.spec.ts` alone. Other parameters go to jest (`npm test -- lists`). With CI=true a skipped test is a failure. Tiers: docs/testing.md.
 */
import { availableParallelism } from 'node:os';
import { runJest } from './lib/jest-run.mjs';
import { build, bundle, prepare, runTool, SetUpError } from './lib/set-up.mjs';

/** At least four, because suites wait for databases and brokers half of their time. */
const WORKERS = Math.max(4, availableParallelism() - 1);
/** Characters of a suite's failures that are repeated at the end. */
const FAILURE_LENGTH_MAX = 6_000;
/** Parameters that choose a tier: the value of TEST_TIER. */
const TIERS = { '--full': 'full', '--release': 'release' };
const SETS_WORKERS = /^(-i|--runInBand|-w|--maxWorkers)(=|$)/;

await runTool(async () => {
  prepare('all');
  const isBuilt = buildOrReport();
  const ci = process.env.CI === 'true';
  const chosen = process.argv.slice(2);
  const tier = TIERS[chosen.find((parameter) => parameter in TIERS)] ?? '';
  const parameters = chosen.filter((parameter) => !(parameter in TIERS));

  const run = await runJest(
    [
      ...(ci ? ['--ci'] : []),
      ...parameters,
      ...(parameters.some((parameter) => SETS_WORKERS.test(parameter)) ? [] : [`--maxWorkers=${WORKERS}`]),
      '--passWithNoTests',
    ],
    { TEST_TIER: tier },
  );

  const noSuite = run.suites === 0;
  if (noSuite) console.error('\nNo suite was run: does a path of one match the parameters? This counts as one failure.');
  const failed = run.failed + (isBuilt ? 0 : 1) + (noSuite ? 1 : 0);
  const { leftOut } = run;
  if (leftOut.length > 0)
    console.log(`\nLEFT OUT (${leftOut.length})${ci ? ', which fails in CI' : ''}:\n${leftOut.map((name) => `  ${name}`).join('\n')}`);
  // Repeated at the end, because the first failure may be thousands of lines above.
  for (const { suite, message } of run.failures) console.log(`\nFAILED ${suite}\n${message.slice(0, FAILURE_LENGTH_MAX)}`);
  console.log(`${run.passed} passed, ${failed} failed`);
  if (failed > 0 || (ci && leftOut.length > 0)) process.exitCode = 1;
});

/** Builds; reports a failed build and returns false. Most tests run from the sources, so the suites run anyway. */
function buildOrReport() {
  try {
    build('tsconfig.json');
    bundle();
    return true;
  } catch (error) {
    if (!(error instanceof SetUpError)) throw error;
    console.error(`${error.message} This counts as one failure.\n`);
    return false;
  }
}
