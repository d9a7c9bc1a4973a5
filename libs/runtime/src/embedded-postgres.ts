import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, realpathSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withTimeout } from '@tidings/contracts/core/with-timeout';
import { freePort } from './free-port';
import { DEFAULT_POSTGRES_PACKAGE, findPostgres, programOf } from './postgres-binaries';
import { SUPERUSER, dataOf, ensureCluster, markOf, readServerNote, clearSurvivor } from './postgres-cluster';
import { type PostgresLauncher, createPostgresLauncher } from './postgres-launcher';
import { type PostgresSettings, serverSettings } from './postgres-settings';

/** Includes the recovery after a crash. */
const START_TIMEOUT_MS = 120_000;
const START_ATTEMPTS_MAX = 10;
const RETRY_DELAY_MS = 300;
const STOP_TIMEOUT_MS = 20_000;
const LOG_BYTES_MAX = 1_048_576;
const LOG_TAIL_CHARACTERS = 2_000;

/** Transient: another process uses the port, or processes of a killed server still use its shared memory. */
const TRANSIENT_FAILURE = /Address already in use|could not bind|pre-existing shared memory block/i;

export interface EmbeddedPostgresOptions {
  /** Folder of all files; created if needed. One process at a time may use it: see `lockDataDirectory`. */
  directory: string;
  /** Preferred port of 127.0.0.1; another one when it is in use, any free one when absent. */
  port?: number;
  /** Values of postgresql.conf that override the defaults. */
  settings?: PostgresSettings;
  /** `false`: no fsync, for data that ends with the process. */
  durable: boolean;
  /** The npm package with the programs, or an alias of it. Default: the newest supported version. */
  packageName?: string;
  /** Called when the server ends without `stop`; `reason` has the end of its log. */
  onUnexpectedExit?: (reason: string) => void;
}

/**
 * A PostgreSQL server from npm packages, for machines without one: it listens on 127.0.0.1 alone, with a password.
 *
 * The programs are started here and not by the package's class: that class waits for a log line in the server's language, rejects
 * with `undefined`, leaves the terminal's Ctrl-C to the server, and cannot be loaded under jest on Node 20 (docs/adr/0021).
 */
export class EmbeddedPostgres {
  private stopping?: Promise<void>;
  private readonly exited: Promise<void>;

  private constructor(
    readonly port: number,
    /** Connects as superuser to the database `postgres`. Contains the password: never log it. */
    readonly adminUrl: string,
    /** Process id of the server. */
    readonly pid: number,
    private readonly server: ChildProcess,
    private readonly stopNow: () => void,
    onUnexpectedExit: () => void,
  ) {
    // A process that exits without `stop` still stops the server, without waiting for it.
    process.once('exit', this.stopNow);
    this.exited = new Promise((resolve) => {
      server.once('exit', () => {
        process.removeListener('exit', this.stopNow);
        resolve();
        if (!this.stopping) onUnexpectedExit();
      });
    });
  }

  /**
   * Starts the server and resolves when it accepts connections. Leftovers of an earlier process are cleaned up: its running
   * server is stopped, an incomplete cluster is created again. Errors name the cause in plain words.
   */
  static async start(options: EmbeddedPostgresOptions) {
    const packaged = findPostgres(options.packageName ?? DEFAULT_POSTGRES_PACKAGE);
    mkdirSync(options.directory, { recursive: true, mode: 0o700 });
    const directory = realpathSync(options.directory);
    await clearSurvivor(directory);

    const launcher = createPostgresLauncher(packaged, directory);
    try {
      const password = await ensureCluster(directory, launcher, options.durable);
      const settings = serverSettings(launcher.binaries.major, options.durable, options.settings);
      const { server, port } = await startServer(directory, launcher, settings, options.port);
      const adminUrl = `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`;
      const onExit = () =>
        options.onUnexpectedExit?.(`PostgreSQL ended by itself (${server.exitCode ?? server.signalCode}): ${readLog(directory, 0)}`);
      return new EmbeddedPostgres(port, adminUrl, server.pid!, server, fastStop(server, launcher, directory), onExit);
    } finally {
      launcher.close();
    }
  }

  /** Stops the server: open transactions are rolled back, the data is complete on disk. Idempotent. */
  stop() {
    this.stopping ??= this.stopServer();
    return this.stopping;
  }

  private async stopServer() {
    if (hasEnded(this.server)) return;
    this.stopNow();
    for (const harder of ['SIGQUIT', 'SIGKILL'] as const) {
      if (await withTimeout(STOP_TIMEOUT_MS, this.exited)) return;
      this.server.kill(harder); // the next start recovers the data
    }
    await this.exited;
  }
}

const hasEnded = (server: ChildProcess) => server.exitCode !== null || server.signalCode !== null;

/** Requests a fast shutdown without waiting for it. */
function fastStop(server: ChildProcess, launcher: PostgresLauncher, directory: string) {
  if (process.platform !== 'win32') return () => void server.kill('SIGINT');
  // Windows has no signals; kill() would be a crash.
  return () =>
    void spawnSync(programOf(launcher.binaries, 'pg_ctl'), ['stop', '-D', dataOf(directory), '-m', 'fast', '-W'], { windowsHide: true });
}

async function startServer(directory: string, launcher: PostgresLauncher, settings: PostgresSettings, wantedPort?: number) {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(wantedPort);
    const log = openLog(directory);
    try {
      const server = spawnServer(launcher, directory, { ...settings, port }, log.handle);
      const failure = await untilReady(server, directory, log.from);
      if (!failure) return { server, port };
      if (attempt >= START_ATTEMPTS_MAX || !TRANSIENT_FAILURE.test(failure)) {
        throw new Error(`PostgreSQL in ${directory} did not start: ${failure}`);
      }
    } finally {
      closeSync(log.handle);
    }
    await delay(RETRY_DELAY_MS);
  }
}

function spawnServer(launcher: PostgresLauncher, directory: string, settings: PostgresSettings, log: number) {
  const values = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(programOf(launcher.binaries, 'postgres'), ['-D', `${launcher.directory}/data`, ...values, '-c', markOf(directory)], {
    ...launcher.spawnOptions(log),
    // A process group of its own: the terminal's Ctrl-C reaches this process alone, which stops the server after its users.
    detached: true,
  });
  server.unref();
  return server;
}

/** Resolves with `undefined` when the server accepts connections, else with the reason of the failed start. */
async function untilReady(server: ChildProcess, directory: string, logFrom: number) {
  let spawnError: Error | undefined;
  server.once('error', (error) => (spawnError = error));
  for (const until = Date.now() + START_TIMEOUT_MS; Date.now() < until; await delay(10)) {
    if (spawnError) return spawnError.message;
    if (hasEnded(server)) return readLog(directory, logFrom) || `it ended with ${server.exitCode ?? server.signalCode}`;
    const note = readServerNote(directory);
    if (note?.pid === server.pid && note?.ready) return undefined;
  }
  server.kill('SIGQUIT');
  return `not ready after ${START_TIMEOUT_MS / 1000} s. ${readLog(directory, logFrom)}`;
}

const logOf = (directory: string) => join(directory, 'postgres.log');

/**
 * A file and not a pipe, so that the server can still write after its parent was killed. Rotated: one old file, one new. The output of
 * this start begins at byte `from`.
 */
function openLog(directory: string) {
  const file = logOf(directory);
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_BYTES_MAX) renameSync(file, `${file}.old`);
  const handle = openSync(file, 'a', 0o600);
  return { handle, from: fstatSync(handle).size };
}

function readLog(directory: string, from: number) {
  return readFileSync(logOf(directory)).subarray(from).toString().slice(-LOG_TAIL_CHARACTERS).trim();
}
