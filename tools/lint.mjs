/** `npm run lint`: eslint and beside it prettier, each with its cache. Parameters go to eslint (`npm run lint -- --fix`). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { root, runTool, sourcesOf } from './lib/set-up.mjs';
import { dropStaleCache } from './lib/lint-cache.mjs';

const CACHE = 'node_modules/.cache/eslint/';
const SHARED = ['tsconfig.base.json', 'tsconfig.lint.json', 'package-lock.json', 'eslint.config.mjs'];
/** Of new objects: most last until the file is checked, and each collection would copy them. A tenth of the time. */
const NEW_SPACE = '--max-semi-space-size=128';

await runTool(async () => {
  process.chdir(root);
  const markCurrent = dropStaleCache(CACHE, [...SHARED, ...['apps', 'libs', 'bench', 'tools'].flatMap(sourcesOf)]);
  const passed = await Promise.all([
    passes('eslint/bin/eslint.js', '--cache', '--cache-location', CACHE, '.', ...process.argv.slice(2)),
    passes('prettier/bin/prettier.cjs', '--cache', '--check', '.'),
  ]);
  markCurrent();
  if (passed.includes(false)) process.exitCode = 1;
});

async function passes(program, ...parameters) {
  const [status] = await once(spawn(process.execPath, [NEW_SPACE, `node_modules/${program}`, ...parameters], { stdio: 'inherit' }), 'exit');
  return status === 0;
}
