import { openDataSource } from '@tidings/persistence/data-source';
import { EventLog1795219200000 } from './migrations/1795219200000-event-log';
import { GivenRecords1795878000000 } from './migrations/1795878000000-given-records';
import { RunningNumbers1795219200001 } from './migrations/1795219200001-running-numbers';

/**
 * Migrates the embedded event log's tables, in the schema `events`, to the newest version. Safe when repeated, and when many
 * processes call it at once.
 * @param ownerUrl how the schema's owner (`tidings_events`) connects.
 */
export async function migrateEventLog(ownerUrl: string): Promise<void> {
  const dataSource = await openDataSource({
    databaseUrl: ownerUrl,
    schema: 'events',
    entities: [],
    migrations: [EventLog1795219200000, RunningNumbers1795219200001, GivenRecords1795878000000],
    poolSize: 1,
  });
  await dataSource.destroy();
}
