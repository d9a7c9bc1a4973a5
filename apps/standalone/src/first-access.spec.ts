import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemContext } from '@tidings/contracts/core/context';
import { hashedKey } from '@tidings/contracts/identity/api-key';
import { keys } from '@tidings/contracts/identity/keys';
import { workspaces } from '@tidings/contracts/identity/workspaces';
import { migrateEventLog } from '@tidings/events/postgres/migrate';
import { PostgresEventLog } from '@tidings/events/postgres/postgres-event-log';
import { IdentityModule } from '@tidings/identity/identity.module';
import { LocalTransport } from '@tidings/rpc/local-transport';
import type { OperationClient } from '@tidings/rpc/operation-client';
import { startService } from '@tidings/runtime/service';
import { Teardown } from '@tidings/runtime/teardown';
import { createTestDatabase } from '@tidings/testing/database';
import type { Configuration } from '@tidings/runtime/configuration';
import type { Access } from './banner';
import { ensureAccess } from './first-access';

describe('the first access', () => {
  const teardown = new Teardown();
  let client: OperationClient;
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'tidings-access-'));
    teardown.add('directory', () => rm(directory, { recursive: true }));
    const database = await createTestDatabase();
    teardown.add('database', () => database.drop());
    await migrateEventLog(database.urlOf('events'));
    const events = await PostgresEventLog.connect({ databaseUrl: database.urlOf('events'), applicationName: 'identity' });
    teardown.add('events', () => events.close());
    const transport = new LocalTransport();
    client = transport.client();
    const resources = { databaseUrl: database.urlOf('identity'), events, client };
    const identity = await startService('identity', IdentityModule.register(resources), transport);
    teardown.add('identity', () => identity.stop());
  });

  afterAll(async () => {
    expect(await teardown.run()).toEqual([]);
  });

  const ensure = async (given: { apiKey?: string; adminKey?: string; adminKeys?: Configuration['adminKeys'] }): Promise<Access> => {
    const configuration = { accountEmail: 'ops@example.com', apiKey: undefined, adminKey: undefined, adminKeys: [], ...given };
    const [access] = await ensureAccess(client, systemContext(randomUUID()), directory, configuration, false);
    return access!;
  };

  it('generates a key once and stores it', async () => {
    const { key } = await ensure({});

    expect((await ensure({})).key).toBe(key);
    expect((await readFile(path.join(directory, 'api-key'), 'utf8')).trim()).toBe(key);
  });

  it('makes the key file readable by its owner only, also an existing file', async () => {
    const file = path.join(directory, 'api-key');
    const modeOf = async () => (await stat(file)).mode & 0o777;
    await rm(file, { force: true });

    await ensure({});
    expect(await modeOf()).toBe(0o600);

    await writeFile(file, '');
    await chmod(file, 0o644);
    await ensure({});
    expect(await modeOf()).toBe(0o600);
  });

  it('refuses a revoked key, naming its variable', async () => {
    const apiKey = `pk_prod_${randomUUID()}`;
    const request = { name: 'default', account_email: 'ops@example.com', ...hashedKey(apiKey), mode: 'production' as const };
    const { workspace_id, key_id } = await client.call(workspaces.ensure, systemContext(randomUUID()), request);
    await client.call(keys.revoke, { ...systemContext(randomUUID()), workspaceId: workspace_id }, { key_id });

    await expect(ensure({ apiKey })).rejects.toThrow(
      'TIDINGS_API_KEY does not open the workspace "default": The API key was revoked. Remove the variable, or set another key',
    );
  });

  it('refuses the operators’ key, configured or generated', async () => {
    const generated = (await ensure({})).key;
    const configured = `pk_prod_${randomUUID()}`;

    for (const [adminKey, apiKey] of [
      [generated, undefined],
      [configured, configured],
    ] as const) {
      await expect(ensure({ apiKey, adminKey })).rejects.toThrow('TIDINGS_ADMIN_KEY is the API key of the workspace "default"');
    }
  });
});
