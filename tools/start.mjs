/** `npm start`: everything in one process, with an embedded PostgreSQL. Installs and builds first when needed. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { endWithNpm } from './lib/end-with-npm.mjs';
import { bundle, root, runTool, setUp } from './lib/set-up.mjs';

await runTool(async () => {
  endWithNpm();
  setUp('apps/standalone');
  bundle();
  // In this process, so that a signal has one receiver and one Ctrl-C is enough.
  const main = path.join(root, 'dist/standalone.js');
  process.argv[1] = main;
  await import(pathToFileURL(main).href);
});
