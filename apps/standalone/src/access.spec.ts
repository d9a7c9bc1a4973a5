import { randomUUID } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import { SYSTEM_WORKSPACE_ID, systemContext } from '@tidings/contracts/core/context';
import { issuedTokens } from '@tidings/contracts/identity/issued-tokens';
import { type AccessChanged, accessChanged, keys } from '@tidings/contracts/identity/keys';
import type { CreateKey } from '@tidings/contracts/identity/managed-keys';
import { type EnsureWorkspace, workspaces } from '@tidings/contracts/identity/workspaces';
import type { EventLog, EventRecord } from '@tidings/events/event-log';
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

const ADMIN_KEY = 'an-operators-key-of-32-characters-or-more';

/** The log, where what a gateway was told of access is noted once it has been. */
function noting(changes: EventRecord<AccessChanged>[], log: EventLog): EventLog {
  const broadcast = log.broadcast.bind(log);
  log.broadcast = (event, handler) =>
    broadcast(event, (record) => {
      handler(record);
      if (event.topic === accessChanged.topic) changes.push(record as unknown as EventRecord<AccessChanged>);
    });
  return log;
}

describe('who comes in', () => {
  const teardown = new Teardown();
  let client: OperationClient;
  let gateways: RunningGateway[];
  /** What each gateway has heard of changes. */
  let heard: EventRecord<AccessChanged>[][];
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
    heard = [];
    for (const name of ['first gateway', 'second gateway']) {
      const changes: EventRecord<AccessChanged>[] = [];
      heard.push(changes);
      const events = noting(changes, await connect(name));
      const gateway = await startGateway({ port: 0, host: '127.0.0.1', client, events, adminKey: ADMIN_KEY });
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

  /** Resolves when every gateway has heard of so many changes of a key, or of signing keys. */
  const everywhereHeard = (times: number, { keyId, workspaceId }: Partial<AccessChanged>): Promise<boolean> => {
    const isMeant = ({ payload }: EventRecord<AccessChanged>): boolean =>
      keyId ? payload?.keyId === keyId : payload?.workspaceId === workspaceId;
    return waitUntil(() => heard.every((changes) => changes.filter(isMeant).length >= times), { what: 'a change to be heard of' });
  };
  const signingKeys = { workspaceId: SYSTEM_WORKSPACE_ID };

  const statusAt = async ({ url }: RunningGateway, key: string): Promise<number> => {
    const { status } = await fetch(`${url}/profiles/nobody`, { headers: { authorization: `Bearer ${key}` } });
    return status;
  };

  /** A token that `key` issues for the preferences and tokens of a user. */
  const issue = async (key: string): Promise<string> => {
    const answer = await fetch(`${gateways[0]!.url}/auth/issue-token`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ scope: 'user_id:ada read:user-tokens', expires_in: '1 hour' }),
    });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { token: string }).token;
  };
  /** 403 says that the token is good: it lacks the scope for profiles. */
  const GOOD_TOKEN = 403;

  it('an API key opens its workspace at every gateway, and is refused at each that has heard of its end', async () => {
    const request: CreateKey = { mode: 'production' };
    const { key, key_id } = await client.call(keys.create, context, request);
    for (const gateway of gateways) expect(await statusAt(gateway, key)).toBe(404);

    await client.call(keys.revoke, context, { key_id });
    await everywhereHeard(2, { keyId: key_id });

    for (const gateway of gateways) expect(await statusAt(gateway, key)).toBe(401);
    for (const gateway of gateways) expect(await statusAt(gateway, 'pk_prod_first_key_of_all')).toBe(404);
  });

  it('an API key that is made now opens at once, also where it was refused a moment ago', async () => {
    const key = `pk_prod_${randomUUID()}`;
    expect(await statusAt(gateways[0]!, key)).toBe(401);
    const request: CreateKey = { mode: 'production', key };
    await client.call(keys.create, context, request);
    await waitUntil(async () => (await statusAt(gateways[0]!, key)) === 404, { what: 'the key to open' });
  });

  it('an issued token is good at every gateway, and refused at each that has heard of the end of the key that issued it', async () => {
    const request: CreateKey = { mode: 'production' };
    const { key, key_id } = await client.call(keys.create, context, request);
    const token = await issue(key);
    const other = await issue('pk_prod_first_key_of_all');
    for (const gateway of gateways) expect(await statusAt(gateway, token)).toBe(GOOD_TOKEN);

    await client.call(keys.revoke, context, { key_id });
    await everywhereHeard(2, { keyId: key_id });

    for (const gateway of gateways) expect(await statusAt(gateway, token)).toBe(401);
    for (const gateway of gateways) expect(await statusAt(gateway, other)).toBe(GOOD_TOKEN);
  });

  it('an issued token outlives the rotation of the signing key, unless all that were issued are revoked', async () => {
    const token = await issue('pk_prod_first_key_of_all');
    for (const gateway of gateways) expect(await statusAt(gateway, token)).toBe(GOOD_TOKEN);

    await client.call(issuedTokens.rotateKey, systemContext(randomUUID()), {});
    const next = await issue('pk_prod_first_key_of_all');
    for (const gateway of gateways) {
      await waitUntil(async () => (await statusAt(gateway, next)) === GOOD_TOKEN, { what: 'the next token to be good' });
      expect(await statusAt(gateway, token)).toBe(GOOD_TOKEN);
    }

    await everywhereHeard(1, signingKeys);
    const heardBefore = heard[0]!.filter(({ payload }) => payload?.workspaceId === SYSTEM_WORKSPACE_ID).length;
    await client.call(issuedTokens.rotateKey, systemContext(randomUUID()), { revoke_issued: true });
    await everywhereHeard(heardBefore + 1, signingKeys);
    for (const gateway of gateways) {
      for (const gone of [token, next]) expect(await statusAt(gateway, gone)).toBe(401);
    }
    expect(await statusAt(gateways[1]!, await issue('pk_prod_first_key_of_all'))).toBe(GOOD_TOKEN);
  });

  it('an operator makes a workspace and its key at one gateway, which opens the other', async () => {
    const admin = async (method: string, path: string, body?: object): Promise<unknown> => {
      const answer = await fetch(`${gateways[0]!.url}/admin${path}`, {
        method,
        headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      expect(answer.ok).toBe(true);
      return answer.status === 204 ? undefined : answer.json();
    };
    const made = (await admin('POST', '/workspaces', { name: 'shop', account_email: 'shop@example.com' })) as { workspace_id: string };
    const keysPath = `/workspaces/${made.workspace_id}/keys`;
    const first = (await admin('POST', keysPath, { mode: 'production' })) as { key_id: string; key: string };
    await waitUntil(async () => (await statusAt(gateways[1]!, first.key)) === 404, { what: 'the key to open' });

    const second = (await admin('POST', `${keysPath}/${first.key_id}/rotate`, { overlap: '0s' })) as { key_id: string; key: string };
    await everywhereHeard(2, { keyId: first.key_id });

    expect(await statusAt(gateways[1]!, first.key)).toBe(401);
    await waitUntil(async () => (await statusAt(gateways[1]!, second.key)) === 404, { what: 'the new key to open' });
    const { results } = (await admin('GET', keysPath)) as { results: { key_id: string; status: string }[] };
    expect(results).toMatchObject([
      { key_id: second.key_id, status: 'active' },
      { key_id: first.key_id, status: 'revoked' },
    ]);
  });
});
