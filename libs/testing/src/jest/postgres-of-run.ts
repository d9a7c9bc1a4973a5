import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '@tidings/runtime/embedded-postgres';

const CONNECTIONS_MAX = 250;

/** The PostgreSQL of a jest run, in a temporary folder. */
export class PostgresOfRun {
  private constructor(
    private readonly server: EmbeddedPostgres,
    private readonly directory: string,
    private readonly urlVariable: string,
    private readonly guard: ChildProcess | undefined,
  ) {}

  /**
   * @param urlVariable environment variable that gets its URL.
   * @param packageName npm package of the server. Default: the product's.
   */
  static async start(urlVariable: string, packageName?: string): Promise<PostgresOfRun> {
    const directory = mkdtempSync(join(tmpdir(), 'tidings-test-postgres-'));
    try {
      const server = await EmbeddedPostgres.start({
        directory,
        durable: false,
        packageName,
        settings: { max_connections: CONNECTIONS_MAX },
      });
      process.env[urlVariable] = server.adminUrl;
      return new PostgresOfRun(server, directory, urlVariable, startGuard(server.pid, directory));
    } catch (error) {
      rmSync(directory, { recursive: true, force: true });
      throw error;
    }
  }

  async stop(): Promise<void> {
    delete process.env[this.urlVariable];
    this.guard?.stdin?.end('done\n');
    await this.server.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/**
 * Cleans up after a killed or interrupted run: a shell reads from this process's pipe, and when the pipe closes it stops the server
 * and removes its folder.
 */
function startGuard(pid: number, directory: string): ChildProcess | undefined {
  if (process.platform === 'win32') return undefined;
  const script = `
    read -r word
    [ "$word" = done ] && exit 0
    kill -QUIT "$1" 2>/dev/null
    tries=0
    while kill -0 "$1" 2>/dev/null && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
    rm -rf -- "$2"
  `;
  const guard = spawn('/bin/sh', ['-c', script, 'sh', String(pid), directory], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
  });
  guard.unref();
  (guard.stdin as unknown as { unref(): void }).unref(); // a socket, although typed as a stream
  return guard;
}
