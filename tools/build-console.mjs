/** Builds the console's static files into apps/console/dist/site, unless they are up to date. tools/bundle.mjs does the same. */
import { buildConsole } from './lib/console-build.mjs';

await buildConsole();
