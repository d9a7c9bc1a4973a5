import { randomUUID } from 'node:crypto';
import { type CallContext, SYSTEM_WORKSPACE_ID, systemContext } from '@tidings/contracts/core/context';
import { issuedTokens } from '@tidings/contracts/identity/issued-tokens';
import { hashedKey, makeApiKey } from '@tidings/contracts/identity/api-key';
import { type AccessChanged, accessChanged, keys } from '@tidings/contracts/identity/keys';
import { workspaces } from '@tidings/contracts/identity/workspaces';
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

/** The log, recording each access change after the gateway's handler has run. */
function recording(changes: EventRecord<AccessChanged>[], log: EventLog): EventLog {
  const broadcast = log.broadcast.bind(log);
  log.broadcast = (event, handler) =>
    broadcast(event, (record) => {
      handler(record);
      if (event.topic === accessChanged.topic) changes.push(record as unknown as EventRecord<AccessChanged>);
    });
  return log;
}

describe('access at several gateways', () => {
  const teardown = new Teardown();
  let client: OperationClient;
  let gateways: RunningGateway[];
  /** The changes each gateway has received. */
  let received: EventRecord<AccessChanged>[][];
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
    // Each gateway has its own connection to the log, as separate processes do.
    gateways = [];
    received = [];
    for (const name of ['first gateway', 'second gateway']) {
      const changes: EventRecord<AccessChanged>[] = [];
      received.push(changes);
      const events = recording(changes, await connect(name));
      const gateway = await startGateway({ port: 0, host: '127.0.0.1', client, events, adminKey: ADMIN_KEY });
      teardown.add(name, () => gateway.stop());
      gateways.push(gateway);
    }
    const workspace = {
      name: 'default',
      account_email: 'a@example.com',
      ...hashedKey('pk_prod_first_key_of_all'),
      mode: 'production' as const,
    };
    const { workspace_id } = await client.call(workspaces.ensure, systemContext(randomUUID()), workspace);
    context = { ...systemContext(randomUUID()), workspaceId: workspace_id };
  });

  afterAll(async () => {
    expect(await teardown.run()).toEqual([]);
  });

  /** Resolves when every gateway has received `times` changes of a key, or of signing keys. */
  const receivedEverywhere = (times: number, { keyId, workspaceId }: Partial<AccessChanged>): Promise<boolean> => {
    const matches = ({ payload }: EventRecord<AccessChanged>): boolean =>
      keyId ? payload?.keyId === keyId : payload?.workspaceId === workspaceId;
    return waitUntil(() => received.every((changes) => changes.filter(matches).length >= times), {
      what: 'every gateway to receive a change',
    });
  };
  const signingKeys = { workspaceId: SYSTEM_WORKSPACE_ID };

  const statusAt = async ({ url }: RunningGateway, key: string): Promise<number> => {
    const { status } = await fetch(`${url}/profiles/unknown`, { headers: { authorization: `Bearer ${key}` } });
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
  /** Stores a key, as a gateway that made it does. */
  const createKey = async (key = makeApiKey('production')): Promise<{ key: string; key_id: string }> => {
    const { key_id } = await client.call(keys.create, context, { mode: 'production', ...hashedKey(key) });
    return { key, key_id };
  };
  /** The status of a valid token: it lacks the scope for profiles. */
  const VALID_TOKEN = 403;

  it('an API key opens its workspace at every gateway until its revocation is received', async () => {
    const { key, key_id } = await createKey();
    for (const gateway of gateways) expect(await statusAt(gateway, key)).toBe(404);

    await client.call(keys.revoke, context, { key_id });
    await receivedEverywhere(2, { keyId: key_id });

    for (const gateway of gateways) expect(await statusAt(gateway, key)).toBe(401);
    for (const gateway of gateways) expect(await statusAt(gateway, 'pk_prod_first_key_of_all')).toBe(404);
  });

  it('a new API key opens its workspace, also at a gateway that refused it before', async () => {
    const key = `pk_prod_${randomUUID()}`;
    expect(await statusAt(gateways[0]!, key)).toBe(401);
    await createKey(key);
    await waitUntil(async () => (await statusAt(gateways[0]!, key)) === 404, { what: 'the key to open' });
  });

  it('an issued token is valid at every gateway until the revocation of its API key is received', async () => {
    const { key, key_id } = await createKey();
    const token = await issue(key);
    const other = await issue('pk_prod_first_key_of_all');
    for (const gateway of gateways) expect(await statusAt(gateway, token)).toBe(VALID_TOKEN);

    await client.call(keys.revoke, context, { key_id });
    await receivedEverywhere(2, { keyId: key_id });

    for (const gateway of gateways) expect(await statusAt(gateway, token)).toBe(401);
    for (const gateway of gateways) expect(await statusAt(gateway, other)).toBe(VALID_TOKEN);
  });

  it('an issued token outlives the rotation of the signing key, unless issued tokens are revoked', async () => {
    const token = await issue('pk_prod_first_key_of_all');
    for (const gateway of gateways) expect(await statusAt(gateway, token)).toBe(VALID_TOKEN);

    await client.call(issuedTokens.rotateKey, systemContext(randomUUID()), {});
    const next = await issue('pk_prod_first_key_of_all');
    for (const gateway of gateways) {
      await waitUntil(async () => (await statusAt(gateway, next)) === VALID_TOKEN, { what: 'the next token to be valid' });
      expect(await statusAt(gateway, token)).toBe(VALID_TOKEN);
    }

    await receivedEverywhere(1, signingKeys);
    const receivedBefore = received[0]!.filter(({ payload }) => payload?.workspaceId === SYSTEM_WORKSPACE_ID).length;
    await client.call(issuedTokens.rotateKey, systemContext(randomUUID()), { revoke_issued: true });
    await receivedEverywhere(receivedBefore + 1, signingKeys);
    for (const gateway of gateways) {
      for (const revoked of [token, next]) expect(await statusAt(gateway, revoked)).toBe(401);
    }
    expect(await statusAt(gateways[1]!, await issue('pk_prod_first_key_of_all'))).toBe(VALID_TOKEN);
  });

  it('an operator creates a workspace at one gateway, and its key opens it at the other', async () => {
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
    await receivedEverywhere(2, { keyId: first.key_id });

    expect(await statusAt(gateways[1]!, first.key)).toBe(401);
    await waitUntil(async () => (await statusAt(gateways[1]!, second.key)) === 404, { what: 'the new key to open' });
    const { results } = (await admin('GET', keysPath)) as { results: { key_id: string; status: string }[] };
    expect(results).toMatchObject([
      { key_id: second.key_id, status: 'active' },
      { key_id: first.key_id, status: 'revoked' },
    ]);
  });
});
