import { type SpawnOptions, execFileSync, spawnSync } from 'node:child_process';
import { chownSync, closeSync, openSync, realpathSync, statSync } from 'node:fs';
import { type PostgresBinaries, programOf, readableCopy, repairLinks } from './postgres-binaries';

const PROBE_TIMEOUT_MS = 10_000;
/** The account may be unable to enter the working directory of this process. */
const AT_ROOT = { cwd: '/', timeout: PROBE_TIMEOUT_MS };

/** PostgreSQL refuses to run as root; then the first existing account of these runs it. No account is ever created. */
const SERVER_ACCOUNTS = ['postgres', 'nobody'];

interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** Runs the server's programs: with their account, and the path by which that account reaches the server's directory. */
export type PostgresLauncher = ReturnType<typeof launcherOf>;

/**
 * Checks that the server can run here, before any file is created. As root the server runs under another account, which becomes
 * the owner of `directory`. That account often cannot enter the folders above (a checkout under root's home has mode 0700):
 *  - then the programs run from a readable copy;
 *  - then the directory is passed as an open handle, and the server's path of it is `/proc/self/fd/3`.
 * @throws Error naming the cause and a remedy.
 */
export function createPostgresLauncher(packaged: PostgresBinaries, directory: string): PostgresLauncher {
  const real = realpathSync(directory);
  const account = serverAccount(real);
  if (account) chownSync(real, account.uid, account.gid);

  const binaries = runnableBinaries(packaged, account);
  if (!account || canEnter(real, account)) return launcherOf(binaries, real, account);

  if (process.platform !== 'linux') {
    throw new Error(
      `PostgreSQL runs as ${account.name} and that account cannot enter ${real}: set TIDINGS_DATA_DIR to a folder whose parents ` +
        `every account may enter, run as an ordinary user, or set DATABASE_URL`,
    );
  }
  return launcherOf(binaries, real, account, openSync(real, 'r'));
}

function launcherOf(binaries: PostgresBinaries, directory: string, account?: Account, handle?: number) {
  return {
    binaries,
    /** Absent: the account of this process. */
    account,
    /** Path of the directory for the server's programs. */
    directory: handle === undefined ? directory : '/proc/self/fd/3',
    /** Options for spawning one of the programs; `output` receives its two output streams. */
    spawnOptions: (output: 'pipe' | number, input: 'ignore' | 'pipe' = 'ignore'): SpawnOptions => ({
      cwd: '/', // the account may be unable to enter this process's working directory
      env: serverEnvironment(),
      uid: account?.uid,
      gid: account?.gid,
      windowsHide: true,
      stdio: [input, output, output, ...(handle === undefined ? [] : [handle])],
    }),
    /** Closes the directory handle; running programs are not affected. */
    close: () => {
      if (handle !== undefined) closeSync(handle);
    },
  };
}

/** PG* variables of the caller would change what initdb and the server do. */
function serverEnvironment() {
  const passedOn = ['PATH', 'LD_LIBRARY_PATH', 'TMPDIR', 'SystemRoot', 'TEMP', 'TMP'];
  return Object.fromEntries(passedOn.map((name) => [name, process.env[name]]));
}

function serverAccount(directory: string) {
  const self = process.getuid?.();
  if (self === undefined) return undefined; // Windows
  const { uid: owner, gid } = statSync(directory);
  if (self !== 0) {
    if (owner === self) return undefined;
    throw new Error(
      `${directory} belongs to another account (uid ${owner}, this process has ${self}): a start as root or as another user created it. ` +
        `Start as that user, or set TIDINGS_DATA_DIR to another folder`,
    );
  }

  // A directory of an earlier start keeps its owner, even one without an account on this machine (a volume of another container).
  if (owner !== 0) return lookUpAccount(String(owner)) ?? { name: `uid ${owner}`, uid: owner, gid };
  const account = SERVER_ACCOUNTS.map(lookUpAccount).find((found) => found !== undefined);
  if (account) return account;
  throw new Error(
    `PostgreSQL does not run as root, and there is no account ${SERVER_ACCOUNTS.join(' or ')}: create one ("useradd --system postgres"), run as an ordinary user, or set DATABASE_URL`,
  );
}

function lookUpAccount(name: string) {
  const id = (flag: string) =>
    execFileSync('id', [flag, name], { encoding: 'utf8', timeout: PROBE_TIMEOUT_MS, stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const account = { name: id('-un'), uid: Number(id('-u')), gid: Number(id('-g')) };
    return account.uid === 0 ? undefined : account;
  } catch {
    return undefined;
  }
}

function canEnter(directory: string, { uid, gid }: Account) {
  return spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', directory], { ...AT_ROOT, uid, gid, stdio: 'ignore' }).status === 0;
}

function runnableBinaries(packaged: PostgresBinaries, account?: Account) {
  let links: unknown;
  try {
    repairLinks(packaged);
  } catch (error) {
    links = error; // a read-only installation; relevant only if the programs do not run
  }

  const failure = runFailure(packaged, account);
  if (!failure) return packaged;
  if (!account && !links) throw notRunnable(packaged, failure);

  const copy = readableCopy(packaged);
  repairLinks(copy);
  const failureOfCopy = runFailure(copy, account);
  if (failureOfCopy) throw notRunnable(copy, failureOfCopy);
  return copy;
}

function runFailure(binaries: PostgresBinaries, account?: Account) {
  const { uid, gid } = account ?? {};
  // initdb loads libpq, so a missing library is detected before any file is created.
  for (const program of ['postgres', 'initdb'] as const) {
    const options = { ...AT_ROOT, uid, gid, encoding: 'utf8', env: serverEnvironment() } as const;
    const { error, status, signal, stderr } = spawnSync(programOf(binaries, program), ['--version'], options);
    if (error) return error.message;
    if (status !== 0) return stderr.trim() || `${program} ended with ${status ?? signal}`;
  }
  return undefined;
}

function notRunnable(binaries: PostgresBinaries, failure: string) {
  return new Error(
    `The PostgreSQL in ${binaries.root} does not run on this machine: ${failure}. ` +
      `It needs glibc (Alpine Linux has none) and a folder that allows executing programs; otherwise set DATABASE_URL to a PostgreSQL of your own`,
  );
}
