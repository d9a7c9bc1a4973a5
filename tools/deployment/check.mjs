/**
 * `node tools/deployment/check.mjs`: checks the shape people deploy as far as a machine without container engine and cluster can:
 * the image's steps are run as commands, docker-compose.yml and k8s/ are validated. What a tool is missing for is left out, and said;
 * with CI=true that is a failure. Parameters go to jest.
 */
import { prepare, runTool } from '../lib/set-up.mjs';
import { runChecks } from './run-checks.mjs';

await runTool(async () => {
  prepare();
  await runChecks(process.argv.slice(2));
});
