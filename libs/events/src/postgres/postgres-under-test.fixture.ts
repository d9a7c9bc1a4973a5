import { Logger } from '@nestjs/common';
import { startTcpProxy, type TcpProxy } from '@tidings/testing/tcp-proxy';
import { createTestDatabase, type TestDatabase } from '@tidings/testing/database';
import { waitUntil } from '@tidings/testing/wait-until';
import { Client } from 'pg';
import type { InterruptibleLog } from '../log-unavailable.contract';
import { migrateEventLog } from './migrate';
import { PostgresEventLog, type PostgresEventLogOptions } from './postgres-event-log';

/** A database with the log's tables, and instances that reach it through a proxy. */
export class PostgresUnderTest implements InterruptibleLog {
  private readonly logs: PostgresEventLog[] = [];

  private constructor(
    readonly database: TestDatabase,
    readonly proxy: TcpProxy,
    readonly admin: Client,
  ) {}

  static async start(): Promise<PostgresUnderTest> {
    Logger.overrideLogger(false); // errors here are provoked
    const database = await createTestDatabase({ migrate: { key: 'event-log', run: ({ urlOf }) => migrateEventLog(urlOf('events')) } });
    const proxy = await startTcpProxy(database.urlOf('events'));
    const admin = new Client({ connectionString: database.adminUrl });
    await admin.connect();
    return new PostgresUnderTest(database, proxy, admin);
  }

  /** An instance of the log's owner; the options may make it a service's. */
  async open(options: Partial<PostgresEventLogOptions> = {}): Promise<PostgresEventLog> {
    const log = await PostgresEventLog.connect({
      databaseUrl: this.proxy.url,
      applicationName: 'spec',
      maintenanceIntervalMs: null,
      ...options,
    });
    this.logs.push(log);
    return log;
  }

  /** Another instance that gets only the server's notifications: under this host name it shares no notifier with others. */
  openElsewhere(options: Partial<PostgresEventLogOptions> = {}): Promise<PostgresEventLog> {
    return this.open({ databaseUrl: this.database.urlOf('events').replace('127.0.0.1', 'localhost'), heartbeatMs: null, ...options });
  }

  interrupt(): Promise<() => Promise<void>> {
    this.proxy.setReachable(false);
    return Promise.resolve(() => Promise.resolve(this.proxy.setReachable(true)));
  }

  async rows<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.admin.query<Row>(text, values)).rows;
  }

  /** Names of the applications that wait for an advisory lock of this database; other suites use other databases of the server. */
  async waitingForLock(): Promise<string[]> {
    const waiting = await this.rows<{ name: string }>(
      `SELECT application_name AS name FROM pg_locks JOIN pg_stat_activity USING (pid)
       WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()`,
    );
    return waiting.map(({ name }) => name);
  }

  /** Terminates every server process of an application's connections; resolves with their number once all have ended. */
  async terminate(applicationName: string): Promise<number> {
    const ended = await this.rows<{ pid: number }>(
      'SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()',
      [applicationName],
    );
    const left = () => this.rows('SELECT FROM pg_stat_activity WHERE pid = ANY ($1)', [ended.map(({ pid }) => pid)]);
    await waitUntil(async () => (await left()).length === 0, { what: `the connections of ${applicationName} to end`, intervalMs: 1 });
    return ended.length;
  }

  /** Closes the instances opened so far, so that they do not act during the next test. */
  async closeLogs(): Promise<void> {
    await Promise.all(this.logs.splice(0).map((log) => log.close()));
  }

  async close(): Promise<void> {
    await this.closeLogs();
    await this.proxy.close();
    await this.admin.end();
    await this.database.drop();
  }
}
