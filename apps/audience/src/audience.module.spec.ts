import { migrateEventLog } from '@tidings/events/postgres/migrate';
import { PostgresEventLog } from '@tidings/events/postgres/postgres-event-log';
import { Logger } from '@nestjs/common';
import { Database } from '@tidings/persistence/database';
import { LocalTransport } from '@tidings/rpc/local-transport';
import { type RunningService, startService } from '@tidings/runtime/service';
import { createTestDatabase, type TestDatabase } from '@tidings/testing/database';
import { AudienceModule } from './audience.module';

let database: TestDatabase;
let events: PostgresEventLog;
let service: RunningService;

beforeAll(async () => {
  Logger.overrideLogger(['error', 'warn']);
  database = await createTestDatabase({ migrate: { key: 'event-log', run: ({ urlOf }) => migrateEventLog(urlOf('events')) } });
  const databaseUrl = database.urlOf('audience');
  events = await PostgresEventLog.connect({ databaseUrl, applicationName: 'audience-spec', maintenanceIntervalMs: null });
  const transport = new LocalTransport();
  service = await startService('audience', AudienceModule.register({ databaseUrl, events, client: transport.client() }), transport);
});
afterAll(async () => {
  await service.stop();
  await events.close();
  await database.drop();
});

describe('the audience service', () => {
  it('works as its own role in its own schema', async () => {
    const session = await service.get(Database).query('select current_user as role, current_schema() as schema');

    expect(session).toEqual([{ role: new URL(database.urlOf('audience')).username, schema: 'audience' }]);
  });

  it('reaches no other service’s schema', async () => {
    const rows = await service
      .get(Database)
      .query<{ schema: string }>(
        "select nspname as schema from pg_namespace where nspname in ('identity', 'audience', 'messaging', 'content') and has_schema_privilege(oid, 'usage') order by 1",
      );

    expect(rows).toEqual([{ schema: 'audience' }]);
  });
});
