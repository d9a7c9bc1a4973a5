import { runJest } from '../lib/jest-run.mjs';

/** Runs tools/deployment/checks in a tree that is set up, without installing packages. `parameters` go to jest. */
export async function runChecks(parameters) {
  const ci = process.env.CI === 'true';
  const { passed, failed, leftOut } = await runJest([
    '--config=tools/deployment/jest.checks.cjs',
    '--runInBand',
    '--verbose',
    ...parameters,
  ]);
  if (leftOut.length > 0) {
    console.log(`\nLEFT OUT (${leftOut.length})${ci ? ', which fails in CI' : ''}:\n${leftOut.map((name) => `  ${name}`).join('\n')}`);
  }
  console.log('\nNot checked: the image (npm run test:release -- image), and its start in a container engine or a cluster.');
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0 || (ci && leftOut.length > 0)) process.exitCode = 1;
}
