/**
 * `node tools/deployment/check.mjs`: checks the shape people deploy as far as a machine without container engine and cluster can:
 * the image's steps are run as commands, docker-compose.yml and k8s/ are validated. What a tool is missing for is left out, and said;
 * with CI=true that is a failure. Parameters go to jest.
 */
import { runJest } from '../lib/jest-run.mjs';
import { prepare, runTool } from '../lib/set-up.mjs';

await runTool(async () => {
  prepare();
  const ci = process.env.CI === 'true';
  const { passed, failed, leftOut } = await runJest([
    '--config=tools/deployment/jest.checks.cjs',
    '--runInBand',
    '--verbose',
    ...process.argv.slice(2),
  ]);
  if (leftOut.length > 0) {
    console.log(`\nLEFT OUT (${leftOut.length})${ci ? ', which fails in CI' : ''}:\n${leftOut.map((name) => `  ${name}`).join('\n')}`);
  }
  console.log('\nNever checked here: the image built by a container engine, and its start in one or in a cluster.');
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0 || (ci && leftOut.length > 0)) process.exitCode = 1;
});
