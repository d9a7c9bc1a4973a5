/**
 * `node tools/deployment/assemble.mjs <folder>`: copies out of a built tree what runs: the command, and of every project that was built
 * its compiled JavaScript with source maps. Beside `node_modules` it needs nothing else.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

const RUNS = /\.js(\.map)?$/;
/** What tests leave in a `dist`. */
const SPEC_FOLDER = 'spec';

const [, , target] = process.argv;
if (!target) throw new Error('Into which folder? node tools/deployment/assemble.mjs <folder>');

const built = projects().filter((project) => existsSync(path.join(project, 'dist')));
for (const project of built) {
  copy(path.join(project, 'package.json'));
  const dist = path.join(project, 'dist');
  for (const file of readdirSync(dist, { recursive: true })) {
    if (RUNS.test(file) && file.split(path.sep)[0] !== SPEC_FOLDER) copy(path.join(dist, file));
  }
}
copy('package.json');
copy('bin');
cpSync('tools/deployment/probe.mjs', path.join(target, 'bin/probe.mjs'));
console.log(`${target}: ${built.join(', ')}`);

/** The folders that package.json calls workspaces. */
function projects() {
  const { workspaces } = JSON.parse(readFileSync('package.json', 'utf8'));
  return workspaces.flatMap((pattern) => {
    if (!pattern.endsWith('/*')) return [pattern];
    const group = pattern.slice(0, -2);
    return readdirSync(group).map((name) => path.join(group, name));
  });
}

function copy(file) {
  mkdirSync(path.dirname(path.join(target, file)), { recursive: true });
  cpSync(file, path.join(target, file), { recursive: true });
}
