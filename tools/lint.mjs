/** `npm run lint`: eslint and prettier, each with its cache. Parameters go to eslint (`npm run lint -- --fix`). */
import { spawnSync } from 'node:child_process';
import { root, runTool, sourcesOf } from './lib/set-up.mjs';
import { dropStaleCache } from './lib/lint-cache.mjs';

const CACHE = 'node_modules/.cache/eslint/';
const SHARED = ['tsconfig.base.json', 'tsconfig.lint.json', 'package-lock.json', 'eslint.config.mjs'];

await runTool(() => {
  process.chdir(root);
  const markCurrent = dropStaleCache(CACHE, [...SHARED, ...['apps', 'libs', 'bench', 'tools'].flatMap(sourcesOf)]);
  const isLinted = run('eslint/bin/eslint.js', '--cache', '--cache-location', CACHE, '.', ...process.argv.slice(2));
  markCurrent();
  if (!isLinted || !run('prettier/bin/prettier.cjs', '--cache', '--check', '.')) process.exitCode = 1;
});

function run(program, ...parameters) {
  return spawnSync(process.execPath, [`node_modules/${program}`, ...parameters], { stdio: 'inherit' }).status === 0;
}
