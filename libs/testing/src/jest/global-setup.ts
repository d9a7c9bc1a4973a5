import { PostgresOfRun } from './postgres-of-run';

/** Set-up and tear-down of a run are two modules of one process. */
declare global {
  var postgresOfRun: PostgresOfRun | undefined;
}

/** Before all projects of a jest run: starts its PostgreSQL. */
export default async function setUp(): Promise<void> {
  globalThis.postgresOfRun = await PostgresOfRun.start();
}
