/** `npm run start:kafka`: Kafka, PostgreSQL and the five apps, each in its own process. Installs and builds first when needed. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { endWithNpm } from './lib/end-with-npm.mjs';
import { bundle, root, runTool, setUp } from './lib/set-up.mjs';

await runTool(async () => {
  endWithNpm();
  setUp('apps/standalone');
  bundle();
  // In this process, so that a signal has one receiver and one Ctrl-C is enough.
  const main = path.join(root, 'dist/start-kafka.js');
  process.argv[1] = main;
  await import(pathToFileURL(main).href);
});
