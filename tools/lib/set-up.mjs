import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeVersionProblem } from './node-version.mjs';

/** The folder of the whole project. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

const SOURCE = /\.ts$|^tsconfig.*\.json$|^package\.json$/;
const NOT_SOURCE = new Set(['node_modules', 'dist']);

/** An error that is printed without a stack; its message states what to do. */
export class SetUpError extends Error {}

/**
 * Makes a new or outdated clone ready to run: checks Node, installs packages, builds what `project` needs. Prints each step and
 * nothing when all is up to date.
 * @param packages `product`: those that the product is made of and built with. `all`: those for tests and development too
 */
export function setUp(project, packages = 'product') {
  prepare(packages);
  build(project);
}

/** The part of `setUp` before building. */
export function prepare(packages) {
  checkNode();
  process.chdir(root);
  install(packages === 'all');
}

/** Runs a tool's main function; a `SetUpError` is printed without its stack. */
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
  const problem = nodeVersionProblem(node);
  if (problem) throw new SetUpError(problem);
}

function install(all) {
  // npm writes this file last: it is missing after an interrupted installation.
  const record = 'node_modules/.package-lock.json';
  const installed = existsSync(record) ? packagesOf(record) : undefined;
  const command = installation(packagesOf('package-lock.json'), installed, all);
  if (!command) return;
  console.log(`Installing packages (npm ${command.join(' ')}): ${reasonToInstall(command, installed)} …`);
  rmSync(record, { force: true });
  // It spares two requests for each package that npm's cache has. A cache that is older than package-lock.json fails.
  if (tryNpm(...command, '--prefer-offline')) return;
  console.log('npm failed with what its cache has: see above. Installing again, from the registry …');
  npm(...command);
}

function reasonToInstall([command], installed) {
  if (command === 'install') return 'those for tests and development';
  if (!existsSync('node_modules')) return 'this is the first time';
  return installed ? 'package-lock.json has changed' : 'the last installation was not completed';
}

/**
 * Parameters of the npm that installs what is missing; undefined where nothing is. File times are no evidence: a checkout changes
 * them, and a needless `npm ci` removes the packages of a running process.
 * @param wanted packages of package-lock.json by folder
 * @param installed the same of the last installation; undefined where it was not completed
 */
export function installation(wanted, installed, all) {
  const isMissing = ([folder, { version, integrity, link, optional }]) => {
    if (!folder.includes('node_modules/')) return false; // the project's own folders
    const found = installed[folder];
    if (!found) return !optional; // for another platform
    return found.version !== version || found.integrity !== integrity || (link && !existsSync(folder));
  };
  const entries = Object.entries(wanted);
  const isOfTests = ([, { dev }]) => dev;
  if (!installed || entries.some((entry) => !isOfTests(entry) && isMissing(entry)))
    return all || Object.entries(installed ?? {}).some(isOfTests) ? ['ci'] : ['ci', '--omit=dev'];
  // It removes nothing, and leaves package.json and package-lock.json as they are.
  return all && entries.some(isMissing) ? ['install', '--no-save'] : undefined;
}

function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}

/** Compiles a project and its references if a source has changed since the last build. */
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

/** Bundles what `build` has compiled: what processes of the product run. Does nothing when it is up to date. */
export function bundle() {
  const { status, signal } = spawnSync(process.execPath, ['tools/bundle.mjs'], { stdio: 'inherit' });
  if (signal) process.kill(process.pid, signal);
  if (status !== 0) throw new SetUpError('The bundle cannot be made: see above.');
}

/** Reason for a build. `built` is the digest of the last build; a bare `tsc -b`, as in `npm run build`, stores none. */
export function reasonToBuild({ built, digest, hasOutput }) {
  if (!hasOutput) return 'this is the first time';
  if (!built) return 'it is unknown whether the build is up to date';
  return built === digest ? 'part of the build is missing' : 'sources have changed';
}

/** Path of the TypeScript compiler; `typescript` is the version whose interface eslint and the writers of descriptions use. */
export const tsc = path.join(root, 'node_modules/typescript-native/bin/tsc');

/** Runs npm. @throws SetUpError when it fails */
export function npm(...parameters) {
  if (!tryNpm(...parameters)) throw new SetUpError(`npm ${parameters.join(' ')} failed: see above.`);
}

function tryNpm(...parameters) {
  // npm passes its own path in the environment; only the script of Windows needs a shell.
  const { npm_execpath: script } = process.env;
  const [command, ...first] = script?.endsWith('.js') ? [process.execPath, script] : ['npm'];
  const { status, signal, error } = spawnSync(command, [...first, ...parameters], {
    stdio: 'inherit',
    shell: command === 'npm' && process.platform === 'win32',
  });
  if (error) throw new SetUpError(`npm cannot be run: ${error.message}`);
  if (signal) process.kill(process.pid, signal);
  return status === 0;
}

/** Folders of a project, or of all projects of a solution, with their references. */
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

/** Whether a folder has its `dist`, which a user may have removed. Folders without sources build nothing. */
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

/** Sources, compiler settings and package files of a folder. */
export function sourcesOf(folder) {
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
