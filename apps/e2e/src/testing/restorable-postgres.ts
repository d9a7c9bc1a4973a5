import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EmbeddedPostgres } from '@tidings/runtime/embedded-postgres';
import { isRunning } from '@tidings/runtime/process-table';
import { waitUntil } from '@tidings/testing/wait-until';
import { BACKED_UP_PACKAGE, takeBaseBackup } from './base-backup';

/** As an operator sets them for backups: the defaults of PostgreSQL, which the embedded one makes smaller. */
const SETTINGS = { wal_level: 'replica', max_wal_senders: 4, max_connections: 100 };

/** A PostgreSQL of a suite's own, of which base backups are taken, and which is replaced by one of them. */
export class RestorablePostgres {
  private readonly folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'tidings-restore-')));
  private server!: EmbeddedPostgres;
  private states = 0;
  private current = this.newState();

  private constructor() {
    // The account of the server enters it too.
    chmodSync(this.folder, 0o755);
  }

  static async start(): Promise<RestorablePostgres> {
    const postgres = new RestorablePostgres();
    await postgres.run();
    return postgres;
  }

  /** Connects as superuser; stays the same after a restore. */
  get adminUrl(): string {
    return this.server.adminUrl;
  }

  /** Takes a base backup of the running server; resolves with its folder. */
  async backUp(): Promise<string> {
    const backup = this.newState();
    await takeBaseBackup({ adminUrl: this.adminUrl, from: this.current, to: backup });
    return backup;
  }

  /** Kills every process of the server. */
  async crash(): Promise<void> {
    const { pid } = this.server;
    process.kill(-pid, 'SIGKILL');
    await waitUntil(() => !isRunning(pid), { what: 'the end of PostgreSQL' });
  }

  /** Starts a backup at the address of the server, which has ended. */
  async restore(backup: string): Promise<void> {
    this.current = backup;
    await this.run(this.server.port);
  }

  async remove(): Promise<void> {
    await this.server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private newState(): string {
    return path.join(this.folder, String((this.states += 1)));
  }

  private async run(port?: number) {
    const server = await EmbeddedPostgres.start({
      directory: this.current,
      port,
      durable: true,
      packageName: BACKED_UP_PACKAGE,
      settings: SETTINGS,
    });
    if (port !== undefined && server.port !== port) throw new Error(`Port ${port} of the killed PostgreSQL is in use`);
    this.server = server;
  }
}
