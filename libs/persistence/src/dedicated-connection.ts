import { Client, type ClientBase, type ClientConfig, type Notification } from 'pg';
import { isConnectionLost, toDatabaseError } from './errors';
import { setSession } from './role-settings';
import { StatementRunner } from './run-statement';

/**
 * The server notices after 5 + 3 × 5 s that a connection's machine died, and releases its locks. Only for connections whose
 * locks other processes wait for.
 */
export const SERVER_KEEP_ALIVE = { tcp_keepalives_idle: '5', tcp_keepalives_interval: '5', tcp_keepalives_count: '3' };

/** A connection outside the pool, for LISTEN and session locks, which outlast a transaction. One statement at a time. */
export class DedicatedConnection extends StatementRunner {
  private loss: Error | undefined;
  private onLoss: () => void = () => {};

  private constructor(private readonly client: Client) {
    super();
    client.on('error', (error) => this.lost(error));
    client.on('end', () => this.lost(new Error('Connection terminated')));
  }

  /**
   * An answer later than `query_timeout` ends the connection.
   * @param settings of the session. None on a connection that a pooler may give to another client.
   * @throws DatabaseUnavailable
   */
  static async open(config: ClientConfig, settings: Readonly<Record<string, string>> = {}): Promise<DedicatedConnection> {
    const client = new Client(config);
    const connection = new DedicatedConnection(client);
    try {
      await client.connect();
      if (Object.keys(settings).length > 0) await setSession(connection, settings);
      return connection;
    } catch (error) {
      connection.close();
      throw toDatabaseError(error, false);
    }
  }

  onNotification(listener: (notification: Notification) => void): void {
    this.client.on('notification', listener);
  }

  /** Calls `listener` when the connection is lost or closed, at once if that has happened. */
  onLost(listener: () => void): void {
    this.onLoss = listener;
    if (this.loss) listener();
  }

  /** @throws DatabaseUnavailable when the connection is lost. */
  assertOpen(): void {
    if (this.loss) throw toDatabaseError(this.loss, false);
  }

  /** Ends the connection, and with it its locks, without waiting for the server. */
  close(): void {
    this.client.end().catch(() => {}); // its errors no longer matter
  }

  private lost(error: Error) {
    this.loss ??= error;
    this.onLoss();
  }

  protected async use<Result>(action: (client: ClientBase) => Promise<Result>) {
    try {
      return await action(this.client);
    } catch (error) {
      if (isConnectionLost(error)) {
        this.lost(error as Error);
        this.close();
      }
      throw toDatabaseError(error, true);
    }
  }
}
