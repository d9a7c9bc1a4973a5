/**
 * `node tools/deployment/check.mjs`: checks the deployment without a container engine or a cluster: validates the Dockerfile,
 * docker-compose.yml, k8s/ and the chart. A check whose tool is missing is skipped and reported; with CI=true it is a
 * failure. Parameters go to jest.
 */
import { prepare, runTool } from '../lib/set-up.mjs';
import { runChecks } from './run-checks.mjs';

await runTool(async () => {
  prepare('all');
  await runChecks(process.argv.slice(2));
});
