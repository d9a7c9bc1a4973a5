import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '@tidings/testing/free-port';
import { Program } from './program';

const PROGRAM = 'pgbouncer';
const START_TIMEOUT_MS = 30_000;
const POLL_MS = 50;
/** PgBouncer refuses to run as root. */
const ACCOUNT = 'nobody';

export type PoolMode = 'session' | 'transaction';

interface PgBouncerOptions {
  /** Connects to the server as superuser. */
  adminUrl: string;
  mode: PoolMode;
  /** Connections to the server for each role and database. */
  poolSize: number;
}

/** `describe`, skipped with the reason in its title where PgBouncer is not installed; with CI=true it runs, and fails. */
export function describeWithPgBouncer(name: string, body: () => void): void {
  const found = process.env.CI === 'true' || spawnSync(PROGRAM, ['--version']).status === 0;
  if (found) describe(name, body);
  else describe.skip(`${name} (skipped: pgbouncer is not installed; Debian has it)`, body);
}

/** Debian's PgBouncer before a PostgreSQL, with an ordinary configuration: clients log in with the passwords of their roles. */
export class PgBouncer {
  private constructor(
    private readonly program: Program,
    private readonly folder: string,
    /** `adminUrl` through it. */
    readonly url: string,
  ) {}

  static async start({ adminUrl, mode, poolSize }: PgBouncerOptions): Promise<PgBouncer> {
    const folder = mkdtempSync(path.join(tmpdir(), 'tidings-pgbouncer-'));
    chmodSync(folder, 0o755);
    const port = await freePort();
    const server = new URL(adminUrl);
    const users = path.join(folder, 'users.txt');
    writeFileSync(users, `"${server.username}" "${server.password}"\n`);
    const file = path.join(folder, 'pgbouncer.ini');
    writeFileSync(
      file,
      `[databases]
* = host=${server.hostname} port=${server.port} auth_user=${server.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = ${mode}
max_client_conn = 500
default_pool_size = ${poolSize}
`,
    );
    const asRoot = process.getuid?.() === 0;
    const program = Program.run(PROGRAM, { parameters: [...(asRoot ? ['-u', ACCOUNT] : []), file], environment: process.env });
    const url = Object.assign(new URL(adminUrl), { hostname: '127.0.0.1', port: String(port) }).href;
    try {
      await program.until(() => accepts(port), {
        what: 'PgBouncer to accept connections',
        timeoutMs: START_TIMEOUT_MS,
        intervalMs: POLL_MS,
      });
    } catch (error) {
      program.signal('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
    return new PgBouncer(program, folder, url);
  }

  async stop(): Promise<void> {
    await this.program.end('SIGTERM');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
