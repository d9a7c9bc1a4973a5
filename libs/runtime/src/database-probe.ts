import { ServiceError } from '@tidings/contracts/core/errors';
import { connectionConfig, describeTarget } from '@tidings/persistence/connection';
import { certificateHint, isConnectionLost, reasonOf } from '@tidings/persistence/errors';
import { DedicatedConnection } from '@tidings/persistence/dedicated-connection';

/** Longer than a healthy server needs; health checks time out earlier. */
const ANSWER_TIMEOUT_MS = 3_000;

/**
 * Checks whether a service can use its database. It has a connection of its own: one from the pool would wait behind the
 * work of a busy service and report a healthy service as unavailable.
 */
export class DatabaseProbe {
  readonly target: string;
  private connection: DedicatedConnection | undefined;
  private pending: Promise<void> | undefined;

  /** @param schema of the service; created by `tidings migrate`, or by the service where its role may. */
  constructor(
    private readonly databaseUrl: string,
    private readonly schema: string,
  ) {
    this.target = describeTarget(databaseUrl);
  }

  /** Concurrent calls share one check. @throws ServiceError `unavailable` naming what is missing: every database fault can be corrected. */
  check() {
    return (this.pending ??= this.assertUsable().finally(() => (this.pending = undefined)));
  }

  close() {
    this.connection?.close();
    this.connection = undefined;
  }

  private async assertUsable() {
    try {
      if (await this.isUsable()) return;
    } catch (error) {
      this.close();
      // Password, database or schema is wrong; `tidings migrate` provisions these.
      const isRefused = /^(28P01|3D|42)/.test(String((error as NodeJS.ErrnoException).code ?? ''));
      const hint = isRefused ? ' (has `tidings migrate` been run?)' : certificateHint(error);
      throw Object.assign(new ServiceError('unavailable', `${reasonOf(error)}${hint}`), { cause: error });
    }
    throw new ServiceError('unavailable', `schema "${this.schema}" is not there yet: run \`tidings migrate\``);
  }

  private async isUsable() {
    const existing = this.connection;
    if (existing) {
      try {
        return await this.queryUsable(existing);
      } catch (error) {
        if (!isConnectionLost(error)) throw error;
        this.close(); // lost in an outage that may be over: only a new connection can show that
      }
    }
    this.connection = await this.connect();
    return this.queryUsable(this.connection);
  }

  private async queryUsable(connection: DedicatedConnection) {
    const [row] = await connection.query<{ usable: boolean }>(
      `SELECT to_regnamespace($1) IS NOT NULL OR has_database_privilege(current_database(), 'CREATE') AS usable`,
      [this.schema],
    );
    return row?.usable ?? false;
  }

  private connect() {
    // Without settings of the session: a pooler may give the connection to another client.
    const { connectionString } = connectionConfig({ databaseUrl: this.databaseUrl, schema: this.schema });
    return DedicatedConnection.open({
      connectionString,
      application_name: `tidings-${this.schema}-health`,
      connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
    });
  }
}
