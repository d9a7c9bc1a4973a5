import { ServiceError } from '@tidings/contracts/core/errors';
import type { DataSource, QueryRunner } from 'typeorm';
import { toConnectError, toDatabaseError } from './errors';
import { makeDataSource, type SchemaOptions } from './make-data-source';
import { cannotBeUsed, prepareSchema } from './migrate';

export type { SchemaOptions } from './make-data-source';

/**
 * Migrates the schema, or checks that it has every migration (`options.migrate`), connects, and returns the data source. Repositories
 * throw the same `DatabaseUnavailable` as `Database` when the database is unavailable.
 * @throws Error naming host, port and reason when the database cannot be used.
 */
export async function openDataSource(options: SchemaOptions): Promise<DataSource> {
  await prepareSchema(options);
  const dataSource = makeDataSource(options);
  try {
    await dataSource.initialize();
    await assertSchemaFound(dataSource, options.schema);
  } catch (error) {
    if (dataSource.isInitialized) await dataSource.destroy();
    throw cannotBeUsed(options, options.databaseUrl, error);
  }
  mapErrorsOf(dataSource);
  return dataSource;
}

/** A pooler may give out connections that it opened before the role had its settings. */
async function assertSchemaFound(dataSource: DataSource, schema: string) {
  const [row] = await dataSource.query<{ found: string | null }[]>('SELECT current_schema() AS found');
  if (row?.found === schema) return;
  throw new ServiceError(
    'unavailable',
    `the connection does not have the settings of its role (search_path): run \`tidings migrate\`, and RECONNECT in a pooler`,
  );
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
        throw toConnectError(error);
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
