import { randomUUID } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import { systemContext } from '@tidings/contracts/core/context';
import { type CreateKey, keys } from '@tidings/contracts/identity/keys';
import { type EnsureWorkspace, workspaces } from '@tidings/contracts/identity/workspaces';
import { migrateEventLog } from '@tidings/events/postgres/migrate';
import { PostgresEventLog } from '@tidings/events/postgres/postgres-event-log';
import { type RunningGateway, startGateway } from '@tidings/gateway/start-gateway';
import { IdentityModule } from '@tidings/identity/identity.module';
import { LocalTransport } from '@tidings/rpc/local-transport';
import type { OperationClient } from '@tidings/rpc/operation-client';
import { startService } from '@tidings/runtime/service';
import { Teardown } from '@tidings/runtime/teardown';
import { createTestDatabase } from '@tidings/testing/database';
import { waitUntil } from '@tidings/testing/wait-until';

/** What is promised of a revoked key. */
const REVOKED_MS_MAX = 1_000;

describe('an API key', () => {
  const teardown = new Teardown();
  let client: OperationClient;
  let gateways: RunningGateway[];
  let context: CallContext;

  beforeAll(async () => {
    const database = await createTestDatabase();
    teardown.add('database', () => database.drop());
    await migrateEventLog(database.urlOf('events'));
    const connect = async (applicationName: string): Promise<PostgresEventLog> => {
      const log = await PostgresEventLog.connect({ databaseUrl: database.urlOf('events'), applicationName });
      teardown.add(applicationName, () => log.close());
      return log;
    };
    const transport = new LocalTransport();
    client = transport.client();
    const resources = { databaseUrl: database.urlOf('identity'), events: await connect('identity'), client };
    const identity = await startService('identity', IdentityModule.register(resources), transport);
    teardown.add('identity', () => identity.stop());
    // Each gateway has a connection to the log of its own, as in processes of their own.
    gateways = [];
    for (const name of ['first gateway', 'second gateway']) {
      const gateway = await startGateway({ port: 0, host: '127.0.0.1', client, events: await connect(name) });
      teardown.add(name, () => gateway.stop());
      gateways.push(gateway);
    }
    const workspace: EnsureWorkspace = {
      name: 'default',
      account_email: 'a@example.com',
      key: 'pk_prod_first_key_of_all',
      mode: 'production',
    };
    const { workspace_id } = await client.call(workspaces.ensure, systemContext(randomUUID()), workspace);
    context = { ...systemContext(randomUUID()), workspaceId: workspace_id };
  });

  afterAll(async () => {
    expect(await teardown.run()).toEqual([]);
  });

  const statusAt = async ({ url }: RunningGateway, key: string): Promise<number> => {
    const { status } = await fetch(`${url}/profiles/nobody`, { headers: { authorization: `Bearer ${key}` } });
    return status;
  };

  it('opens its workspace at every gateway, and is refused at each of them within a second of its end', async () => {
    const request: CreateKey = { mode: 'production' };
    const { key, key_id } = await client.call(keys.create, context, request);
    for (const gateway of gateways) expect(await statusAt(gateway, key)).toBe(404);

    await client.call(keys.revoke, context, { key_id });

    for (const gateway of gateways) {
      await waitUntil(async () => (await statusAt(gateway, key)) === 401, { what: 'the key to be refused', timeoutMs: REVOKED_MS_MAX });
    }
    for (const gateway of gateways) expect(await statusAt(gateway, 'pk_prod_first_key_of_all')).toBe(404);
  });

  it('that is made now opens at once, also where it was refused a moment ago', async () => {
    const key = `pk_prod_${randomUUID()}`;
    expect(await statusAt(gateways[0]!, key)).toBe(401);
    const request: CreateKey = { mode: 'production', key };
    await client.call(keys.create, context, request);
    await waitUntil(async () => (await statusAt(gateways[0]!, key)) === 404, { what: 'the key to open' });
  });
});
