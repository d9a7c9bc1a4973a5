import { connectionConfig } from '@tidings/persistence/connection';
import { toConnectError, toDatabaseError } from '@tidings/persistence/errors';
import { roleSettings, setSession } from '@tidings/persistence/role-settings';
import type { Statement } from '@tidings/persistence/statement';
import { logClosed } from '../log-closed';
import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';

const SCHEMA = 'events';
/** Every statement of the log is short; one that takes longer was lost in transit. */
const ANSWER_MS_MAX = 30_000;
const CLOSE_MS_MAX = 1_000;
/** How soon the server notices that a client's machine died, and releases its locks: idle + count × interval. */
const SERVER_KEEPALIVE = { tcp_keepalives_idle: '10', tcp_keepalives_interval: '5', tcp_keepalives_count: '3' };
/**
 * Every statement reads a range of an index, or joins along one. The planner keeps plans made for tables that were empty when last
 * analysed; these settings exclude other plans. Sequential scans are off for all connections.
 */
const INDEX_PLANS = { enable_bitmapscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off' };

const SETTINGS = { ...roleSettings(SCHEMA), statement_timeout: `${ANSWER_MS_MAX}ms`, ...SERVER_KEEPALIVE, ...INDEX_PLANS };

/** Settings of the server for one session. */
type Setting = Readonly<Record<string, string>>;

export interface SessionOptions {
  databaseUrl: string;
  applicationName: string;
}

/**
 * One connection, for session locks, LISTEN and prepared statements. Concurrent statements are pipelined; none of them opens a
 * transaction.
 */
export class Session {
  /** Aborts when the connection has ended, from either side. */
  readonly lost: AbortSignal;
  /** When the server last sent something, by `performance.now()`. */
  lastReceivedAt = performance.now();

  private constructor(private readonly client: Client) {
    const lost = new AbortController();
    this.lost = lost.signal;
    setMaxListeners(0, lost.signal); // every subscription of the process listens
    const lose = () => {
      if (lost.signal.aborted) return;
      // A lost session must not stay open at the server with its locks.
      this.cut();
      lost.abort();
    };
    client.on('error', lose);
    client.on('end', lose);
  }

  /**
   * @param setting of the server for this session.
   * @throws ServiceError `unavailable` when the connection fails.
   */
  static async open({ databaseUrl, applicationName }: SessionOptions, setting: Setting): Promise<Session> {
    const base: ClientConfig = connectionConfig({ databaseUrl, schema: SCHEMA });
    const client = new Client({ ...base, application_name: applicationName, pipeline: true });
    const session = new Session(client);
    const runner = {
      query: async <Row extends object>(text: unknown, values: unknown) =>
        (await client.query<Row>(text as string, values as unknown[])).rows,
    };
    try {
      await client.connect();
      await setSession(runner, { ...SETTINGS, ...setting });
    } catch (error) {
      void client.end().catch(() => {});
      throw toConnectError(error);
    }
    return session;
  }

  get alive(): boolean {
    return !this.lost.aborted;
  }

  /**
   * Runs a prepared statement and resolves with its rows as arrays. An answer that does not come in time ends the
   * connection.
   * @throws ServiceError `unavailable`, `deadline_exceeded`, or the driver's error.
   */
  async query<Row extends unknown[]>(
    { name, text }: Statement,
    values: readonly unknown[] = [],
    timeoutMs = ANSWER_MS_MAX,
  ): Promise<Row[]> {
    // `query_timeout` may be given per statement; the types know it only per connection.
    const query = { name, text, values: [...values], rowMode: 'array' as const, query_timeout: timeoutMs };
    try {
      const { rows } = await this.client.query<Row>(query);
      this.lastReceivedAt = performance.now();
      return rows;
    } catch (error) {
      throw toDatabaseError(error, false);
    }
  }

  /** The first value of the first row; `undefined` without a row. @throws as `query`. */
  async value<Value>(statement: Statement, values?: readonly unknown[], timeoutMs?: number): Promise<Value> {
    const [row] = await this.query<[Value]>(statement, values, timeoutMs);
    return row?.[0] as Value;
  }

  /** Listens to the notifications of `events.append` for a topic. */
  async listen(topicId: number): Promise<void> {
    await this.query({ name: '', text: `LISTEN tidings_events_${topicId}` });
  }

  onNotification(listener: (channel: string, payload: string) => void): void {
    this.client.on('notification', ({ channel, payload = '' }) => {
      this.lastReceivedAt = performance.now();
      listener(channel, payload);
    });
  }

  /** Closes the connection after the running statements; destroys it when that takes longer than 1 s. */
  async end(): Promise<void> {
    const cut = setTimeout(() => this.cut(), CLOSE_MS_MAX);
    await this.client.end().catch(() => {});
    clearTimeout(cut);
  }

  /** Destroys the connection at once; running statements fail. */
  cut(): void {
    const { connection } = this.client as unknown as { connection: { stream: Socket } };
    connection.stream.destroy();
  }
}

/** A session that is opened on demand, and again after its loss. */
export abstract class SessionHolder<Options extends SessionOptions = SessionOptions> {
  protected current?: Session;
  protected readonly closing = new AbortController();
  private opening?: Promise<Session>;

  constructor(
    readonly options: Options,
    /** See `Session.open`. */
    private readonly setting: Setting,
  ) {}

  /** The session, opened in one attempt if needed. @throws ServiceError `unavailable`. */
  async session(): Promise<Session> {
    if (this.current?.alive) return this.current;
    if (this.closing.signal.aborted) throw logClosed();
    this.opening ??= this.open().finally(() => (this.opening = undefined));
    return this.opening;
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.opening?.catch(() => {});
    await this.current?.end();
  }

  /** Readies a session for its use. */
  protected abstract prepare(session: Session): Promise<void>;

  private async open() {
    const session = await Session.open(this.options, this.setting);
    try {
      await this.prepare(session);
      return (this.current = session);
    } catch (error) {
      session.cut();
      throw error;
    }
  }
}
