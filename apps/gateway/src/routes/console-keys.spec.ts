import { randomUUID } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import { hashedKey } from '@tidings/contracts/identity/api-key';
import { consoleKeys } from '@tidings/contracts/identity/console-keys';
import { type CreatedKey, keys } from '@tidings/contracts/identity/keys';
import { expectError } from '../testing/expect-error';
import { startTestGateway, type TestGateway } from '../testing/start-test-gateway';

const K = randomUUID();
const READER = 'pk_prod_of_a_reader';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({ operations: Object.values(consoleKeys) });
  gateway.client.addKey(READER, { scopes: ['read:api-keys'] });
  gateway.client.answer(keys.page, () => ({ results: [], paging: { more: false } }));
  gateway.client.answer(keys.rotate, () => ({ key_id: K, mode: 'test', previous_valid_until: 'soon' }));
  gateway.client.answer(keys.revoke, () => undefined);
});
afterAll(() => gateway.stop());

const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  gateway.request(`/console/api/keys${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

it('makes a key in the workspace of the caller, who is named, and shows it once', async () => {
  gateway.client.answer(keys.create, () => ({ key_id: K }));
  const created = await post('', { mode: 'production', scopes: ['read:messages'] });

  const { key, key_id } = (await created.json()) as CreatedKey;
  expect([created.status, key, key_id]).toEqual([201, expect.stringMatching(/^pk_prod_\w{43}$/), K]);
  const { request, context } = gateway.client.callsOf(keys.create).at(-1)!;
  expect(request).toEqual({ mode: 'production', scopes: ['read:messages'], ...hashedKey(key) });
  expect(context).toMatchObject({ actor: { type: 'api-key' }, scopes: ['*'] });
});

it('refuses the repetition of a request with an Idempotency-Key, naming the key that it made', async () => {
  gateway.client.answer(keys.create, ({ requestKey }: CallContext) => {
    requestKey!.replayed = true;
    return { key_id: K };
  });
  const again = await post('', { mode: 'production' }, { 'idempotency-key': 'once' });

  expect(await expectError(again, 409)).toContain(K);
  expect(again.headers.get('x-should-retry')).toBe('false');
});

it('rotates, revokes and lists, within the scopes of the caller', async () => {
  expect((await post(`/${K}/rotate`, { overlap: '1h' })).status).toBe(201);
  expect((await gateway.request(`/console/api/keys/${K}`, { method: 'DELETE' })).status).toBe(204);
  const headers = { authorization: `Bearer ${READER}` };
  expect((await gateway.request('/console/api/keys?limit=5', { headers })).status).toBe(200);
  expect(gateway.client.callsOf(keys.page).at(-1)!.request).toEqual({ limit: 5 });
  for (const answer of [
    await post('', { mode: 'test' }, headers),
    await post(`/${K}/rotate`, {}, headers),
    await gateway.request(`/console/api/keys/${K}`, { method: 'DELETE', headers }),
  ])
    expect(await expectError(answer, 403, 'authorization_error')).toContain('write:api-keys');
});
