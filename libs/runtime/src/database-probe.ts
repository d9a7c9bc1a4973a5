import { ServiceError } from '@tidings/contracts/core/errors';
import { connectionConfig, describeTarget } from '@tidings/persistence/connection';
import { isConnectionLost, reasonOf } from '@tidings/persistence/errors';
import { DedicatedConnection } from '@tidings/persistence/dedicated-connection';

/** Longer than a healthy server ever takes for this; a health check has given up before. */
const ANSWER_TIMEOUT_MS = 3_000;

/**
 * Asks a service's database whether the service can work with it, on a connection of its own: one from the pool would have
 * to wait behind the work of a busy service, which is not a service that is ill.
 */
export class DatabaseProbe {
  readonly target: string;
  private connection: DedicatedConnection | undefined;
  private asking: Promise<void> | undefined;

  /** @param schema of the service; it is made by `tidings migrate`, or by the service where its role may. */
  constructor(
    private readonly databaseUrl: string,
    private readonly schema: string,
  ) {
    this.target = describeTarget(databaseUrl);
  }

  /** @throws ServiceError `unavailable` saying what is missing: everything that is wrong with a database can be put right. */
  check(): Promise<void> {
    return (this.asking ??= this.ask().finally(() => (this.asking = undefined)));
  }

  close(): void {
    this.connection?.close();
    this.connection = undefined;
  }

  private async ask(): Promise<void> {
    try {
      if (await this.isUsable()) return;
    } catch (error) {
      this.close();
      const hint = isConnectionLost(error) && !isRefused(error) ? '' : ' (has `tidings migrate` been run?)';
      throw Object.assign(new ServiceError('unavailable', `${reasonOf(error)}${hint}`), { cause: error });
    }
    throw new ServiceError('unavailable', `schema "${this.schema}" is not there yet: run \`tidings migrate\``);
  }

  private async isUsable(): Promise<boolean> {
    const kept = this.connection;
    if (kept) {
      try {
        return await this.look(kept);
      } catch (error) {
        if (!isConnectionLost(error)) throw error;
        this.close(); // lost in an outage that may be over: only a new connection knows
      }
    }
    this.connection = await this.connect();
    return this.look(this.connection);
  }

  private async look(connection: DedicatedConnection): Promise<boolean> {
    const [row] = await connection.query<{ usable: boolean }>(
      `SELECT to_regnamespace($1) IS NOT NULL OR has_database_privilege(current_database(), 'CREATE') AS usable`,
      [this.schema],
    );
    return row?.usable ?? false;
  }

  private connect(): Promise<DedicatedConnection> {
    const { connectionString, options } = connectionConfig({ databaseUrl: this.databaseUrl, schema: this.schema });
    return DedicatedConnection.open(
      {
        connectionString,
        options,
        application_name: `tidings-${this.schema}-health`,
        connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
        statement_timeout: ANSWER_TIMEOUT_MS,
      },
      ANSWER_TIMEOUT_MS,
    );
  }
}

/** Role, password or database is not right: what the provisioning sees to. */
function isRefused(error: unknown): boolean {
  return /^(28|3D)/.test(String((error as NodeJS.ErrnoException).code ?? ''));
}
