#!/usr/bin/env node
/** The command of the npm package that tools/pack.mjs makes: `tidings`, which without arguments runs the standalone. */
import { readFileSync } from 'node:fs';
import { endWithNpm } from './lib/end-with-npm.mjs';
import { nodeVersionProblem } from './lib/node-version.mjs';

const { version, engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const problem = nodeVersionProblem(engines.node);
if (problem) {
  console.error(problem);
  process.exitCode = 1;
} else {
  endWithNpm();
  if (process.argv.length === 2) {
    console.log(`Starting Tidings ${version}; its data are in ${process.env.TIDINGS_DATA_DIR || '.tidings'} …`);
    process.argv.push('standalone');
  }
  await import('../bin/tidings.mjs');
}
