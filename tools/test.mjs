/**
 * `npm test`: installs and builds what is missing, then runs every test, and the journeys once more over Kafka; parameters go to
 * jest (`npm test -- lists`). With CI=true the projects that speak to PostgreSQL run once more on the oldest version promised, and
 * a test that was left out is a failure. What runs when, and beside what, is in test-plan.cjs.
 */
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { runJest } from './lib/jest-run.mjs';
import { build, prepare, root, runTool, SetUpError } from './lib/set-up.mjs';
import plan from './test-plan.cjs';

/** Two even on two cores: suites wait for databases and brokers half of their time. */
const WORKERS = Math.max(2, availableParallelism() - 1);
/** How a group runs, unless the parameters say it. */
const RUNNERS = { [plan.SIDE_BY_SIDE]: `--maxWorkers=${WORKERS}`, [plan.ALONE]: '--runInBand' };
/** Characters of a suite's failures that are shown again at the end. */
const FAILURE_LENGTH_MAX = 6_000;
const SAYS_RUNNER = /^(-i|--runInBand|-w|--maxWorkers)(=|$)/;

await runTool(async () => {
  prepare();
  const builds = buildsOrSaysWhyNot();
  const ci = process.env.CI === 'true';
  const parameters = process.argv.slice(2);

  const runs = [];
  for (const pass of plan.PASSES.filter((one) => ci || !one.ci)) {
    for (const group of plan.GROUPS) {
      if (runs.some(({ interrupted }) => interrupted)) break;
      console.log(`\nTests, ${pass.name}: ${group}`);
      runs.push(
        await runJest([...(ci ? ['--ci'] : []), ...selectionOf(pass, group, parameters)], { ...pass.environment, TEST_GROUP: group }),
      );
    }
  }

  const sumOf = (what) => runs.reduce((sum, run) => sum + run[what], 0);
  const noSuite = runs.every(({ suites }) => suites === 0);
  if (noSuite) console.error('\nNo suite was run: does a path of one match the parameters? This counts as one failure.');
  const failed = sumOf('failed') + (builds ? 0 : 1) + (noSuite ? 1 : 0);
  const leftOut = runs.flatMap((run) => run.leftOut);
  if (leftOut.length > 0)
    console.log(`\nLEFT OUT (${leftOut.length})${ci ? ', which fails in CI' : ''}:\n${leftOut.map((name) => `  ${name}`).join('\n')}`);
  // Once more where it is found: what failed first may stand thousands of lines above.
  for (const { suite, message } of runs.flatMap((run) => run.failures))
    console.log(`\nFAILED ${suite}\n${message.slice(0, FAILURE_LENGTH_MAX)}`);
  console.log(`${sumOf('passed')} passed, ${failed} failed`);
  if (failed > 0 || (ci && leftOut.length > 0)) process.exitCode = 1;
});

/** Jest's parameters for a group of a pass. That a group has no suite is no failure: the other may have those that were asked for. */
function selectionOf({ projects, without = [] }, group, parameters) {
  return [
    ...parameters,
    ...(projects ? ['--selectProjects', ...projects, '--testPathIgnorePatterns', '/dist/', ...without] : []),
    ...(parameters.some((parameter) => SAYS_RUNNER.test(parameter)) ? [] : [RUNNERS[group]]),
    `--filter=${path.join(root, 'tools/lib/filter-group.cjs')}`,
    '--passWithNoTests',
  ];
}

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
