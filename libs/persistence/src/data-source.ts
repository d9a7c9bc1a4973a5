import { Logger } from '@nestjs/common';
import pg from 'pg';
import { DataSource, type EntitySchema, type Logger as OrmLogger, type MigrationInterface, type QueryRunner } from 'typeorm';
import { type ConnectionOptions, connectionConfig, describeTarget } from './connection';
import { reasonOf, toDatabaseError } from './errors';
import { migrate } from './migrate';
import { SnakeCaseColumns } from './rows';

const logger = new Logger('Database');

/** A class that TypeORM instantiates as row or migration. */
type Constructor<T extends object = object> = new (...args: never[]) => T;
type EntityClass = Constructor | EntitySchema;

export interface SchemaOptions extends ConnectionOptions {
  /** Every entity of the schema, listed explicitly: loaded modules are not scanned. */
  entities: readonly EntityClass[];
  /** Run in the order of the timestamps at the end of their names. */
  migrations: readonly Constructor<MigrationInterface>[];
}

/** Replaces TypeORM's output to the console. Errors are not logged here: the caller gets them. */
const ormLogger: OrmLogger = {
  logQuery: () => {},
  logQueryError: () => {},
  logQuerySlow: () => {},
  logSchemaBuild: (message) => logger.debug(message),
  logMigration: (message) => logger.log(message),
  log: (level, message: string) => (level === 'warn' ? logger.warn(message) : logger.debug(message)),
};

/** A data source with the service's settings, not connected yet. */
function makeDataSource(options: SchemaOptions) {
  const { connectionString, options: startOptions, ...extra } = connectionConfig(options);
  return new DataSource({
    type: 'postgres',
    driver: pg,
    url: connectionString,
    schema: options.schema,
    entities: [...options.entities],
    migrations: [...options.migrations],
    namingStrategy: new SnakeCaseColumns(),
    synchronize: false,
    installExtensions: false,
    uuidExtension: 'pgcrypto', // so that defaults use gen_random_uuid(), which needs no extension
    logger: ormLogger,
    extra: { ...extra, options: startOptions },
    // A broken idle connection affects no caller; the pool opens another one.
    poolErrorHandler: (error: Error) => logger.warn(`An idle connection of ${options.schema} was lost: ${error.message}`),
  });
}

/**
 * Connects, migrates the schema and returns the data source. Repositories throw the same `DatabaseUnavailable` as `Database`
 * when the database is unavailable.
 * @throws Error naming host, port and reason when the database cannot be used.
 */
export async function openDataSource(options: SchemaOptions): Promise<DataSource> {
  const { schema, databaseUrl } = options;
  const target = describeTarget(databaseUrl);
  const dataSource = makeDataSource(options);
  try {
    await dataSource.initialize();
    await migrate(dataSource, schema);
  } catch (error) {
    const reason = reasonOf(error);
    if (!dataSource.isInitialized) throw new Error(`PostgreSQL at ${target} cannot be used for "${schema}": ${reason}`, { cause: error });
    await dataSource.destroy();
    throw new Error(`Schema "${schema}" at ${target} could not be migrated: ${reason}`, { cause: error });
  }
  mapErrorsOf(dataSource);
  return dataSource;
}

/** Maps the driver's errors to service errors in TypeORM's query runners, which execute every statement. */
function mapErrorsOf({ driver }: DataSource) {
  const createQueryRunner = driver.createQueryRunner.bind(driver);
  driver.createQueryRunner = (mode) => {
    const runner = createQueryRunner(mode);
    const connect = runner.connect.bind(runner);
    const query = runner.query.bind(runner) as (...args: unknown[]) => Promise<unknown>;
    runner.connect = () =>
      connect().catch((error: unknown) => {
        throw toDatabaseError(error, false);
      });
    const mappedQuery = (...args: unknown[]) => {
      const effectPossible = !runner.isTransactionActive || args[0] === 'COMMIT';
      return query(...args).catch((error: unknown) => {
        throw toDatabaseError(error, effectPossible);
      });
    };
    runner.query = mappedQuery as QueryRunner['query'];
    return runner;
  };
}
