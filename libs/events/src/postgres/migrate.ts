import type { DatabaseSettings } from '@tidings/persistence/connection';
import { openDataSource } from '@tidings/persistence/data-source';
import { grantTopics } from './grant-topics';
import { EventLog1795219200000 } from './migrations/1795219200000-event-log';
import { GivenRecords1795878000000 } from './migrations/1795878000000-given-records';
import { RecordTraces1795996800000 } from './migrations/1795996800000-record-traces';
import { RunningNumbers1795219200001 } from './migrations/1795219200001-running-numbers';
import { TopicRights1795920000000 } from './migrations/1795920000000-topic-rights';

/** What makes the schema `events`. */
export const EVENT_LOG_MIGRATIONS = [
  EventLog1795219200000,
  RunningNumbers1795219200001,
  GivenRecords1795878000000,
  TopicRights1795920000000,
  RecordTraces1795996800000,
] as const;

/**
 * Migrates the embedded event log's tables, in the schema `events`, to the newest version, and gives each service's role the
 * rights on its topics. The roles must exist. Safe when repeated, and when many processes call it at once.
 * @param ownerUrl how the schema's owner (`tidings_events`) connects, without a pooler.
 * @param migrate `never` requires tables of the newest version instead.
 */
export async function migrateEventLog(ownerUrl: string, { migrate }: Pick<DatabaseSettings, 'migrate'> = {}): Promise<void> {
  const dataSource = await openDataSource({
    databaseUrl: ownerUrl,
    migrate,
    schema: 'events',
    entities: [],
    migrations: EVENT_LOG_MIGRATIONS,
    poolSize: 1,
  });
  try {
    await grantTopics(dataSource);
  } finally {
    await dataSource.destroy();
  }
}
