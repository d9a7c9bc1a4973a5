/**
 * `npm test`: installs and builds what is missing, then runs the suites `*.spec.ts`; `npm run test:full` (`--full`) all there are.
 * Other parameters go to jest (`npm test -- lists`). With CI=true a test that was left out is a failure. docs/testing.md has the tiers.
 */
import { availableParallelism } from 'node:os';
import { runJest } from './lib/jest-run.mjs';
import { build, prepare, runTool, SetUpError } from './lib/set-up.mjs';

/** Three even on two cores: suites wait for databases and brokers half of their time. */
const WORKERS = Math.max(3, availableParallelism() - 1);
/** Characters of a suite's failures that are shown again at the end. */
const FAILURE_LENGTH_MAX = 6_000;
const SAYS_RUNNER = /^(-i|--runInBand|-w|--maxWorkers)(=|$)/;

await runTool(async () => {
  prepare();
  const builds = buildsOrSaysWhyNot();
  const ci = process.env.CI === 'true';
  const full = process.argv.includes('--full');
  const parameters = process.argv.slice(2).filter((parameter) => parameter !== '--full');

  const run = await runJest(
    [
      ...(ci ? ['--ci'] : []),
      ...parameters,
      ...(parameters.some((parameter) => SAYS_RUNNER.test(parameter)) ? [] : [`--maxWorkers=${WORKERS}`]),
      '--passWithNoTests',
    ],
    { TEST_TIER: full ? 'full' : '' },
  );

  const noSuite = run.suites === 0;
  if (noSuite) console.error('\nNo suite was run: does a path of one match the parameters? This counts as one failure.');
  const failed = run.failed + (builds ? 0 : 1) + (noSuite ? 1 : 0);
  const { leftOut } = run;
  if (leftOut.length > 0)
    console.log(`\nLEFT OUT (${leftOut.length})${ci ? ', which fails in CI' : ''}:\n${leftOut.map((name) => `  ${name}`).join('\n')}`);
  // Once more where it is found: what failed first may stand thousands of lines above.
  for (const { suite, message } of run.failures) console.log(`\nFAILED ${suite}\n${message.slice(0, FAILURE_LENGTH_MAX)}`);
  console.log(`${run.passed} passed, ${failed} failed`);
  if (failed > 0 || (ci && leftOut.length > 0)) process.exitCode = 1;
});

/** Tests run from the sources; those that need what is built fail by themselves, the others have something to say. */
function buildsOrSaysWhyNot() {
  try {
    build('tsconfig.json');
    return true;
  } catch (error) {
    if (!(error instanceof SetUpError)) throw error;
    console.error(`${error.message} This counts as one failure.\n`);
    return false;
  }
}
