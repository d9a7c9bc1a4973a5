/**
 * `node tools/deployment/assemble.mjs <folder>`: copies the runnable part of a built tree: the command, and the compiled
 * JavaScript of every built project with source maps, and the descriptions of the contracts. Besides `node_modules` it needs nothing else.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

const RUNS = /\.js(\.map)?$/;
/** Output of tests in a `dist`. */
const SPEC_FOLDER = 'spec';

const [, , target] = process.argv;
if (!target) throw new Error('A target folder is required: node tools/deployment/assemble.mjs <folder>');

const built = projects().filter((project) => existsSync(path.join(project, 'dist')));
for (const project of built) {
  copy(path.join(project, 'package.json'));
  const descriptions = path.join(project, 'descriptions.json');
  if (existsSync(descriptions)) copy(descriptions);
  const dist = path.join(project, 'dist');
  for (const file of readdirSync(dist, { recursive: true })) {
    if (RUNS.test(file) && file.split(path.sep)[0] !== SPEC_FOLDER) copy(path.join(dist, file));
  }
}
for (const file of ['package.json', 'sbom.cdx.json', 'bin']) copy(file);
for (const script of ['probe.mjs', 'draw-secrets.mjs']) cpSync(`tools/deployment/${script}`, path.join(target, 'bin', script));
console.log(`${target}: ${built.join(', ')}`);

/** The workspaces of package.json. */
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
