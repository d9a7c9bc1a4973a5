import { Logger } from '@nestjs/common';
import pg from 'pg';
import { DataSource, type EntitySchema, type Logger as OrmLogger, type MigrationInterface } from 'typeorm';
import { type ConnectionOptions, connectionConfig } from './connection';
import { SnakeCaseColumns } from './rows';

const logger = new Logger('Database');

/** A class that TypeORM instantiates as row or migration. */
type Constructor<T extends object = object> = new (...args: never[]) => T;
type EntityClass = Constructor | EntitySchema;

/** Migrations of a schema. */
export type Migrations = readonly Constructor<MigrationInterface>[];

export interface SchemaOptions extends ConnectionOptions {
  /** Every entity of the schema, listed explicitly: loaded modules are not scanned. */
  entities: readonly EntityClass[];
  /** Run in the order of the timestamps at the end of their names. */
  migrations: Migrations;
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

const optionsOf = new WeakMap<DataSource, SchemaOptions>();

/** How a data source of `openDataSource` connects. */
export function connectionOptionsOf(dataSource: DataSource): ConnectionOptions {
  const options = optionsOf.get(dataSource);
  if (!options) throw new Error('The data source was not opened by openDataSource');
  return options;
}

/** A data source with the service's settings, not connected yet. */
export function makeDataSource(options: SchemaOptions): DataSource {
  const { connectionString, ...extra } = connectionConfig(options);
  const dataSource = new DataSource({
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
    extra,
    // A broken idle connection affects no caller; the pool opens another one.
    poolErrorHandler: (error: Error) => logger.warn(`An idle connection of ${options.schema} was lost: ${error.message}`),
  });
  optionsOf.set(dataSource, options);
  return dataSource;
}
