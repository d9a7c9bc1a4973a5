import { chmodSync, chownSync, copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EmbeddedPostgres } from '@tidings/runtime/embedded-postgres';
import { Client } from 'pg';
import type { KeyPair } from './certificates';
import { waitUntil } from './wait-until';

/** A PostgreSQL of a spec's own that accepts encrypted connections alone. */
export class TlsPostgres {
  private constructor(
    private readonly folder: string,
    private readonly server: EmbeddedPostgres,
  ) {}

  /** @param certificate that the server presents */
  static async start(certificate: KeyPair): Promise<TlsPostgres> {
    const folder = mkdtempSync(path.join(tmpdir(), 'tidings-tls-'));
    const server = await EmbeddedPostgres.start({ directory: folder, durable: false });
    const postgres = new TlsPostgres(folder, server);
    try {
      postgres.install(certificate);
      await postgres.requireTls();
    } catch (error) {
      await postgres.stop();
      throw error;
    }
    return postgres;
  }

  /** Connects as superuser, once it says something about TLS. */
  get url(): string {
    return this.server.adminUrl;
  }

  /** Presents another certificate to every connection that is opened from now on. */
  async renew(certificate: KeyPair): Promise<void> {
    this.install(certificate);
    const [before] = await this.query<{ loaded: Date }>('SELECT pg_conf_load_time() AS loaded, pg_reload_conf()');
    // The server reads the files before it answers a connection with the new time.
    const isLoaded = async () =>
      (await this.query<{ later: boolean }>('SELECT pg_conf_load_time() > $1 AS later', before!.loaded))[0]!.later;
    await waitUntil(isLoaded, { what: 'the new certificate' });
  }

  async stop(): Promise<void> {
    await this.server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async requireTls() {
    const rules = path.join(this.folder, 'data/pg_hba.conf');
    writeFileSync(rules, readFileSync(rules, 'utf8').replaceAll(/^host\b/gm, 'hostssl'));
    const client = new Client({ connectionString: this.url });
    await client.connect();
    await client.query('ALTER SYSTEM SET ssl = on');
    await client.query('SELECT pg_reload_conf()');
    await client.end();
    const isRefused = (): Promise<boolean> => {
      const plain = new Client({ connectionString: this.url });
      return plain.connect().then(
        () => plain.end().then(() => false),
        () => true,
      );
    };
    await waitUntil(isRefused, { what: 'a server that accepts TLS alone' });
  }

  /** The rows of a statement, as superuser. */
  async query<Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> {
    const client = new Client({ connectionString: this.url, ssl: { rejectUnauthorized: false } });
    await client.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** The names are PostgreSQL's defaults. Its account owns the files. */
  private install({ certificate, key }: KeyPair) {
    const data = path.join(this.folder, 'data');
    const { uid, gid } = statSync(data);
    for (const [from, name] of [
      [certificate, 'server.crt'],
      [key, 'server.key'],
    ] as const) {
      const file = path.join(data, name);
      copyFileSync(from, file);
      chmodSync(file, 0o600);
      chownSync(file, uid, gid);
    }
  }
}
