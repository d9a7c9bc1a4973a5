import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { satisfies } from './node-version.mjs';

/** The folder of the whole project. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

const SOURCE = /\.ts$|^tsconfig.*\.json$|^package\.json$/;
const NOT_SOURCE = new Set(['node_modules', 'dist']);

/** A reason to stop that needs no stack: the words say what to do. */
export class SetUpError extends Error {}

/**
 * Makes a fresh clone, or one that has fallen behind, ready to run: checks Node, installs, builds what `project` needs. Says
 * what it does when it takes a while, and is silent when there is nothing to do.
 */
export function setUp(project) {
  prepare();
  build(project);
}

/** The part of `setUp` before building. */
export function prepare() {
  checkNode();
  process.chdir(root);
  install();
}

/** Runs a tool's main function; errors it expects are printed as sentences. */
export async function runTool(main) {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof SetUpError ? error.message : error);
    process.exitCode = 1;
  }
}

function checkNode() {
  const { node } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).engines;
  if (satisfies(process.versions.node, node)) return;
  throw new SetUpError(
    `Tidings needs Node ${node.replace('||', 'or')}, and this is ${process.versions.node}. https://nodejs.org has others.`,
  );
}

function install() {
  if (isInstalled()) return;
  console.log(
    `Installing packages (npm ci): ${existsSync('node_modules') ? 'package-lock.json asks for others' : 'this is the first time'} …`,
  );
  npm('ci');
}

/**
 * Whether what is installed is what package-lock.json asks for. Times would not tell: a checkout changes them, and `npm ci` for
 * nothing takes away the packages under a running process.
 */
function isInstalled() {
  // npm writes this file last: it is missing after an installation that was interrupted.
  const record = 'node_modules/.package-lock.json';
  if (!existsSync(record)) return false;
  const installed = packagesOf(record);
  return Object.entries(packagesOf('package-lock.json')).every(([place, wanted]) => {
    if (!place.includes('node_modules/')) return true; // the project's own folders
    const found = installed[place];
    if (!found) return wanted.optional === true; // for another platform
    return found.version === wanted.version && found.integrity === wanted.integrity && (!wanted.link || existsSync(place));
  });
}

function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}

/** Compiles a project, with all it refers to, if anything has changed since the last time. */
export function build(project) {
  const stamp = `node_modules/.tidings/built-${project.replaceAll(/[^a-z0-9]+/g, '-')}`;
  const digest = digestOfSources();
  const folders = foldersOf(project);
  if (readStamp(stamp) === digest && folders.every(isBuilt)) return;

  const hasOutput = folders.some((folder) => existsSync(path.join(folder, 'dist')));
  console.log(`Building (tsc -b ${project}): ${reasonToBuild({ built: readStamp(stamp), digest, hasOutput })} …`);
  const { status, signal } = spawnSync(process.execPath, [tsc, '-b', project], { stdio: 'inherit' });
  if (signal) process.kill(process.pid, signal);
  if (status !== 0) throw new SetUpError('The sources do not compile: see above.');
  writeStamp(stamp, digest);
}

/** Why something is built. `built` is the digest of what was built last; `tsc -b` by itself, as in `npm run build`, leaves none. */
export function reasonToBuild({ built, digest, hasOutput }) {
  if (!hasOutput) return 'this is the first time';
  if (!built) return 'whether what is built is up to date is not known';
  return built === digest ? 'some of what was built is not there' : 'sources have changed';
}

/** Path of the TypeScript compiler. */
export const tsc = path.join(root, 'node_modules/typescript/bin/tsc');

function npm(...parameters) {
  // npm names itself to what it starts; a shell is needed only where it is a script of Windows.
  const { npm_execpath: script } = process.env;
  const [command, ...first] = script?.endsWith('.js') ? [process.execPath, script] : ['npm'];
  const { status, signal, error } = spawnSync(command, [...first, ...parameters], {
    stdio: 'inherit',
    shell: command === 'npm' && process.platform === 'win32',
  });
  if (error) throw new SetUpError(`npm cannot be run: ${error.message}`);
  if (signal) process.kill(process.pid, signal);
  if (status !== 0) throw new SetUpError(`npm ${parameters.join(' ')} failed: see above.`);
}

/** The folder of a project, or of all that a solution names, with everything they refer to. */
function foldersOf(project, found = new Set()) {
  const file = project.endsWith('.json') ? project : path.join(project, 'tsconfig.json');
  const folder = path.dirname(file);
  if (found.has(folder)) return [];
  found.add(folder);
  const { references = [] } = JSON.parse(readFileSync(file, 'utf8'));
  for (const reference of references) foldersOf(path.join(folder, reference.path), found);
  return [...found].filter((one) => one !== '.');
}

function projectFolders() {
  return ['libs', 'apps'].flatMap((group) => readdirSync(group).map((name) => path.join(group, name))).concat('tools/kafka');
}

/** Somebody may have removed one `dist`. Folders without sources build nothing. */
function isBuilt(folder) {
  return !existsSync(path.join(folder, 'tsconfig.json')) || !hasSources(path.join(folder, 'src')) || existsSync(path.join(folder, 'dist'));
}

function hasSources(folder) {
  return existsSync(folder) && readdirSync(folder, { recursive: true }).some((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'));
}

function digestOfSources() {
  const digest = createHash('sha256').update(process.versions.node);
  for (const file of ['tsconfig.base.json', 'package-lock.json', ...projectFolders().flatMap(sourcesOf)]) {
    const { size, mtimeMs } = statSync(file);
    digest.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return digest.digest('hex');
}

function sourcesOf(folder) {
  if (!statSync(folder).isDirectory()) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !NOT_SOURCE.has(name))
    .flatMap((entry) => {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) return sourcesOf(file);
      return SOURCE.test(entry.name) ? [file] : [];
    })
    .sort();
}

function readStamp(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function writeStamp(file, text) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
