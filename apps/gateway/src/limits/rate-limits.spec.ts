import { randomUUID } from 'node:crypto';
import { type AccessLimits, accessChanged, type VerifiedKey } from '@tidings/contracts/identity/keys';
import { type LeaseTokens, rateLeases } from '@tidings/contracts/identity/rate-leases';
import { metrics } from '@tidings/runtime/metrics';
import { waitUntil } from '@tidings/testing/wait-until';
import Courier from '@trycourier/courier';
import { expectError } from '../testing/expect-error';
import { startTestGateway, type TestGateway } from '../testing/start-test-gateway';
import { things } from '../testing/test-operations';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ adminKey: 'an-operators-key-of-32-characters-or-more' });
});
afterAll(() => gateway.stop());

/** A key of a workspace of its own. */
const newKey = (limits: AccessLimits): VerifiedKey & { key: string } => {
  const key = `pk_test_${randomUUID()}`;
  return { key, ...gateway.client.addKey(key, { limits }) };
};
const get = (key: string, path = '/things/one'): Promise<Response> =>
  gateway.request(path, { headers: { authorization: `Bearer ${key}` } });

async function limitedCount(scope: string): Promise<number> {
  const { values } = await metrics.registry.getSingleMetric('tidings_rate_limited_total')!.get();
  return values.find(({ labels }) => labels.scope === scope)?.value ?? 0;
}

it('answers 429 above the rate, with the headers that SDKs obey', async () => {
  const { key } = newKey({ workspace_rate: '3/m' });
  const before = await limitedCount('workspace');
  const remaining = [];
  for (let count = 0; count < 3; count += 1) remaining.push((await get(key)).headers.get('ratelimit-remaining'));
  expect(remaining).toEqual(['2', '1', '0']);
  const calls = gateway.client.callsOf(things.get).length;

  const refused = await get(key);

  const { headers } = refused;
  expect(await expectError(refused, 429, 'rate_limit_error')).toBe('The workspace may make 3/m requests: try again later');
  expect(['x-should-retry', 'ratelimit-limit', 'ratelimit-remaining'].map((name) => headers.get(name))).toEqual(['true', '3', '0']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(19);
  expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(20);
  expect(Number(headers.get('ratelimit-reset'))).toBeGreaterThanOrEqual(59);
  expect(gateway.client.callsOf(things.get)).toHaveLength(calls);
  expect(await limitedCount('workspace')).toBe(before + 1);
});

it('limits a key within its workspace, and takes nothing from the workspace for what the key is refused', async () => {
  const { key, workspace_id } = newKey({ key_rate: '1/m', workspace_rate: '3/m' });
  expect((await get(key)).status).toBe(200);
  for (let count = 0; count < 3; count += 1) expect(await expectError(await get(key), 429, 'rate_limit_error')).toContain('API key');

  await waitUntil(() => reported(workspace_id).length === 2, { what: 'both buckets to be reported' });
  expect(reported(workspace_id).map(({ rate, used }) => [rate, used])).toEqual([
    ['1/m', 1],
    ['3/m', 1],
  ]);
});

it('counts requests that need an API key, and no others', async () => {
  const { key } = newKey({ workspace_rate: '1/h' });
  for (const path of ['/openapi.json', '/', '/unknown', '/docs']) expect((await get(key, path)).headers.get('ratelimit-limit')).toBeNull();
  const operator = { headers: { authorization: 'Bearer an-operators-key-of-32-characters-or-more' } };
  for (let count = 0; count < 3; count += 1) expect((await gateway.request('/admin/workspaces', operator)).status).toBe(503);
  expect((await get(key)).status).toBe(200);
  expect((await get(key)).status).toBe(429);
  expect((await gateway.request('/things/one')).headers.get('ratelimit-limit')).toBeNull();
});

it('makes the SDK wait and try again', async () => {
  const { key } = newKey({ workspace_rate: '2/s' });
  const statuses: number[] = [];
  const sdk = new Courier({
    apiKey: key,
    baseURL: gateway.url,
    fetch: async (...args) => {
      const answer = await fetch(...args);
      statuses.push(answer.status);
      return answer;
    },
  });

  for (let count = 0; count < 3; count += 1) await sdk.messages.list();

  expect(statuses).toEqual([200, 200, 429, 200]);
  const once = new Courier({ apiKey: key, baseURL: gateway.url, maxRetries: 0 });
  await expect(Promise.all([1, 2, 3].map(() => once.messages.list()))).rejects.toMatchObject({ status: 429 });
});

it('asks identity about once a second, not for each request', async () => {
  const { key, workspace_id } = newKey({ workspace_rate: '1000/s' });
  leaseEach(400);
  for (let count = 0; count < 100; count += 1) expect((await get(key)).status).toBe(200);

  await waitUntil(() => reported(workspace_id).reduce((sum, { used }) => sum + used, 0) === 100, { what: 'all to be reported' });
  expect(reported(workspace_id).length).toBeLessThanOrEqual(4);
});

it('applies a changed rate once the key has changed', async () => {
  const { key, workspace_id: workspaceId, key_id: keyId } = newKey({ workspace_rate: '1/h' });
  leaseEach(0);
  expect([(await get(key)).status, (await get(key)).status]).toEqual([200, 429]);
  gateway.client.addKey(key);

  await gateway.events.append(accessChanged, [{ id: randomUUID(), payload: { workspaceId, keyId } }]);

  expect((await get(key)).status).toBe(200);
});

/** What identity answers to each lease from now on. */
function leaseEach(tokens: number) {
  gateway.client.answer(rateLeases.lease, (_context, { buckets }: LeaseTokens) => ({
    leases: buckets.map(() => ({ tokens, gateways: 1 })),
  }));
}

/** What was reported of the buckets of a workspace. */
function reported(workspaceId: string): LeaseTokens['buckets'] {
  const calls = gateway.client.callsOf(rateLeases.lease).map(({ request }) => request as unknown as LeaseTokens);
  return calls.flatMap(({ buckets }) => buckets.filter(({ workspace_id }) => workspace_id === workspaceId));
}
