import { randomUUID } from 'node:crypto';
import { systemContext } from '@tidings/contracts/core/context';
import { CSRF_HEADER } from '@tidings/contracts/core/session-names';
import { hashedKey, makeApiKey } from '@tidings/contracts/identity/api-key';
import { keys } from '@tidings/contracts/identity/keys';
import { workspaces } from '@tidings/contracts/identity/workspaces';
import { type RunningGateway, startGateway } from '@tidings/gateway/start-gateway';
import { IdentityModule } from '@tidings/identity/identity.module';
import { OperationClient } from '@tidings/rpc/operation-client';
import { Teardown } from '@tidings/runtime/teardown';
import { contextOf } from '@tidings/testing/context-of';
import { startTestService, type TestService } from '@tidings/testing/service';
import { waitUntil } from '@tidings/testing/wait-until';
import { makeConsoleCode } from './console-code';

const teardown = new Teardown();
let identity: TestService;
let gateways: [RunningGateway, RunningGateway];
let client: OperationClient;

class IdentityClient extends OperationClient {
  constructor() {
    super(() => Promise.reject(new Error('This client has no transport')));
  }

  override call: OperationClient['call'] = (...parameters) => identity.call(...parameters);

  override callForJson: OperationClient['callForJson'] = async (...parameters) => JSON.stringify(await this.call(...parameters));
}

beforeAll(async () => {
  identity = await startTestService('identity', (resources) => IdentityModule.register(resources));
  teardown.add('identity', () => identity.stop());
  client = new IdentityClient();
  const start = () => startGateway({ port: 0, host: '127.0.0.1', client, events: identity.events });
  gateways = [await start(), await start()];
  for (const [index, gateway] of gateways.entries()) teardown.add(`gateway ${index}`, () => gateway.stop());
});

afterAll(async () => expect(await teardown.run()).toEqual([]));

async function newKey(): Promise<{ workspaceId: string; keyId: string; key: string }> {
  const key = makeApiKey('production');
  const request = { name: randomUUID(), account_email: 'ops@example.com', mode: 'production' as const, ...hashedKey(key) };
  const { workspace_id: workspaceId, key_id: keyId } = await client.call(workspaces.ensure, systemContext(randomUUID()), request);
  return { workspaceId, keyId, key };
}

const session = ({ url }: RunningGateway, method: string, headers: Record<string, string>, body?: object): Promise<Response> =>
  fetch(`${url}/console/api/session`, {
    method,
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    body: body && JSON.stringify(body),
  });

/** Signs in at a gateway; resolves with the headers of the session's requests. */
async function signIn(gateway: RunningGateway, credential: object): Promise<Record<string, string>> {
  const answer = await session(gateway, 'POST', {}, credential);
  expect(answer.status).toBe(200);
  const { csrf } = (await answer.json()) as { csrf: string };
  return { cookie: answer.headers.get('set-cookie')!.split(';', 1)[0]!, [CSRF_HEADER]: csrf };
}

const statusesOf = (headers: Record<string, string>): Promise<number[]> =>
  Promise.all(gateways.map(async ({ url }) => (await fetch(`${url}/console/api/whoami`, { headers })).status));
const untilRefused = (headers: Record<string, string>): Promise<boolean> =>
  waitUntil(async () => (await statusesOf(headers)).every((status) => status === 401), { what: 'both gateways to refuse the session' });

it('a session is known to every gateway, and ends at all of them with the sign-out', async () => {
  const [first, second] = gateways;
  const headers = await signIn(first, { key: (await newKey()).key });
  expect(await statusesOf(headers)).toEqual([200, 200]);

  expect((await session(second, 'DELETE', headers)).status).toBe(204);

  await untilRefused(headers);
});

it('ends everywhere when its key is revoked', async () => {
  const { workspaceId, keyId, key } = await newKey();
  const headers = await signIn(gateways[0], { key });
  expect(await statusesOf(headers)).toEqual([200, 200]);

  await client.call(keys.revoke, contextOf(workspaceId), { key_id: keyId });

  await untilRefused(headers);
  expect(await (await session(gateways[1], 'GET', headers)).json()).toEqual({ session: null });
});

it('the code of the start opens one session, at any gateway, and is not stored', async () => {
  const { key, workspaceId } = await newKey();
  const code = await makeConsoleCode(client, systemContext(randomUUID()), key);

  const headers = await signIn(gateways[1], { code });

  const whoami = await fetch(`${gateways[0].url}/console/api/whoami`, { headers });
  expect(await whoami.json()).toMatchObject({ workspace: { id: workspaceId }, mode: 'production', scopes: ['*'] });
  expect((await session(gateways[0], 'POST', {}, { code })).status).toBe(401);
  const [{ stored }] = (await identity.sql<{ stored: string }>('select json_agg(one)::text as stored from identity.sessions one', [])) as [
    { stored: string },
  ];
  expect(stored).not.toContain(headers.cookie!.split('=')[1]);
});
