import { keys } from '@tidings/contracts/identity/keys';
import { migrateEventLog } from '@tidings/events/postgres/migrate';
import { PostgresEventLog } from '@tidings/events/postgres/postgres-event-log';
import { LocalTransport } from '@tidings/rpc/local-transport';
import { startService } from '@tidings/runtime/service';
import { Teardown } from '@tidings/runtime/teardown';
import { contextOf } from '@tidings/testing/context-of';
import { createTestDatabase } from '@tidings/testing/database';
import { whileLocked } from '@tidings/testing/while-locked';
import { IdentityModule } from '../identity.module';
import { hashApiKey, makeApiKey } from '@tidings/contracts/identity/api-key';

const teardown = new Teardown();

afterEach(async () => {
  expect(await teardown.run()).toEqual([]);
});

it('is created before the service answers', async () => {
  const database = await createTestDatabase();
  teardown.add('database', () => database.drop());
  await migrateEventLog(database.urlOf('events'));
  const databaseUrl = database.urlOf('identity');
  const events = await PostgresEventLog.connect({ databaseUrl, applicationName: 'identity', maintenanceIntervalMs: null });
  teardown.add('events', () => events.close());
  const transport = new LocalTransport();
  const client = transport.client();
  const resources = { databaseUrl, events, client };
  const withoutKey = await startService('identity', IdentityModule.register(resources), transport); // migrates the schema
  await withoutKey.stop();
  const key = makeApiKey('production');
  const verify = () => client.call(keys.verify, contextOf('any'), { hash: hashApiKey(key) });

  const locked = {
    statement: 'lock table identity.workspaces',
    values: [],
    waiting: 1,
    meanwhile: () => expect(verify()).rejects.toMatchObject({ code: 'unavailable' }),
  };
  await whileLocked(database.adminUrl, locked, async () => {
    const module = IdentityModule.register({ ...resources, firstKey: { key, accountEmail: 'ops@example.com' } });
    const identity = await startService('identity', module, transport);
    teardown.add('identity', () => identity.stop());
  });

  await expect(verify()).resolves.toMatchObject({ account_email: 'ops@example.com' });
});
