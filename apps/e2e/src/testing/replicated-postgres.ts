import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EmbeddedPostgres } from '@tidings/runtime/embedded-postgres';
import { dataOf } from '@tidings/runtime/postgres-cluster';
import { startTcpProxy, type TcpProxy } from '@tidings/testing/tcp-proxy';
import { waitUntil } from '@tidings/testing/wait-until';
import { Client } from 'pg';
import { BACKED_UP_PACKAGE, takeBaseBackup } from './base-backup';

const SETTINGS = { max_connections: 300, wal_level: 'replica', max_wal_senders: 4, wal_keep_size: '1GB', hot_standby: 'on' };
const CATCH_UP_MS_MAX = 60_000;

/** A primary with an asynchronous standby, behind one address. */
export class ReplicatedPostgres {
  private primaryExited: () => void = () => undefined;

  private constructor(
    private readonly folder: string,
    private primary: EmbeddedPostgres,
    private readonly standby: EmbeddedPostgres,
    /** Between standby and primary. */
    private readonly replication: TcpProxy,
    private readonly address: TcpProxy,
  ) {}

  static async start(): Promise<ReplicatedPostgres> {
    const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'tidings-replicated-')));
    // The account of the server enters it too.
    chmodSync(folder, 0o755);
    let postgres: ReplicatedPostgres | undefined;
    const [first, second] = [path.join(folder, 'first'), path.join(folder, 'second')];
    const primary = await EmbeddedPostgres.start({
      directory: first,
      durable: true,
      packageName: BACKED_UP_PACKAGE,
      settings: SETTINGS,
      onUnexpectedExit: () => postgres?.primaryExited(),
    });
    const replication = await startTcpProxy(primary.adminUrl);
    await takeBaseBackup({ adminUrl: primary.adminUrl, from: first, to: second });
    writeFileSync(path.join(dataOf(second), 'standby.signal'), '');
    const { username, password, hostname, port } = new URL(replication.url);
    const standby = await EmbeddedPostgres.start({
      directory: second,
      durable: true,
      packageName: BACKED_UP_PACKAGE,
      settings: {
        ...SETTINGS,
        primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password}`,
        wal_retrieve_retry_interval: '200ms',
      },
    });
    const address = await startTcpProxy(primary.adminUrl);
    return (postgres = new ReplicatedPostgres(folder, primary, standby, replication, address));
  }

  /** Connects as superuser to whichever server is the primary. */
  get adminUrl(): string {
    return this.address.url;
  }

  /** Resolves when the standby has everything that is committed now. */
  async untilCaughtUp(): Promise<void> {
    const [row] = await rowsOf<{ at: string }>(this.primary.adminUrl, 'SELECT pg_current_wal_lsn()::text AS at');
    await waitUntil(
      async () => {
        const sql = `SELECT pg_last_wal_replay_lsn() >= '${row!.at}'::pg_lsn AS caught`;
        return (await rowsOf<{ caught: boolean }>(this.standby.adminUrl, sql))[0]!.caught;
      },
      { what: 'the standby to catch up', timeoutMs: CATCH_UP_MS_MAX, intervalMs: 50 },
    );
  }

  /** From now on the standby gets nothing: it lags. */
  stopReplication(): void {
    this.replication.setReachable(false);
  }

  /** Kills the primary, promotes the standby, and leads the address to it. Resolves with the bytes of WAL that are lost. */
  async failOver(): Promise<number> {
    const [row] = await rowsOf<{ at: string }>(this.primary.adminUrl, 'SELECT pg_current_wal_lsn()::text AS at');
    const exited = new Promise<void>((resolve) => (this.primaryExited = resolve));
    process.kill(this.primary.pid, 'SIGQUIT');
    await exited;
    const lost = `SELECT ('${row!.at}'::pg_lsn - coalesce(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()))::bigint::int AS bytes`;
    const [{ bytes }] = (await rowsOf<{ bytes: number }>(this.standby.adminUrl, lost)) as [{ bytes: number }];
    await rowsOf(this.standby.adminUrl, 'SELECT pg_promote()');
    this.address.setTarget(this.standby.adminUrl);
    return bytes;
  }

  async remove(): Promise<void> {
    await this.address.close();
    await this.replication.close();
    await Promise.all([this.standby.stop(), this.primary.stop()]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function rowsOf<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
