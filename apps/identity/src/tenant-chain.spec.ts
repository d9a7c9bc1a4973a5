import { randomUUID } from 'node:crypto';
import { Database } from '@tidings/persistence/database';
import { runsOf } from '@tidings/testing/runs-of';
import { type RunningIdentity, sharedIdentity } from './testing/start-identity';
import { buildChain, buildTenant } from './testing/tenant-builder';
import { CHAINS_MAX, tenantChains } from './tenant-chain';

let identity: RunningIdentity;
const call: RunningIdentity['call'] = (...parameters) => identity.call(...parameters);
const chains = (...keys: [workspaceId: string, tenantId: string][]) =>
  tenantChains(
    identity.get(Database),
    keys.map(([workspaceId, tenantId]) => ({ workspaceId, tenantId })),
  );

beforeAll(async () => {
  identity = await sharedIdentity();
});

it('returns the tenants from the root down, for any order of their ids', async () => {
  const { workspaceId } = await buildChain(call, 'm', 'z', 'a', 'k');

  const [chain] = await chains([workspaceId, 'k']);

  expect(chain!.map(({ tenant_id }) => tenant_id)).toEqual(['m', 'z', 'a', 'k']);
});

it('answers in the order of the keys, repeated tenants included, and empty for an unknown one', async () => {
  const { workspaceId } = await buildChain(call, 'a', 'b');

  const found = await chains([workspaceId, 'b'], [workspaceId, 'ghost'], [workspaceId, 'a'], [workspaceId, 'b']);

  expect(found.map((chain) => chain.map(({ tenant_id }) => tenant_id))).toEqual([['a', 'b'], [], ['a'], ['a', 'b']]);
});

it('returns all fields of a tenant', async () => {
  const context = await buildChain(call);
  const fields = { brand_id: 'brand', properties: { plan: 'gold' }, user_profile: { locale: 'de' } };
  await buildTenant(call, context, 'a', { name: 'Acme', ...fields });

  await expect(chains([context.workspaceId, 'a'])).resolves.toEqual([[{ tenant_id: 'a', name: 'Acme', ...fields }]]);
});

it('does not leave the workspace of the tenant', async () => {
  const [one, other] = [await buildChain(call, 'root', 'leaf'), await buildChain(call, 'leaf')];

  const found = await chains([one.workspaceId, 'leaf'], [other.workspaceId, 'leaf'], [randomUUID(), 'leaf']);

  expect(found.map((chain) => chain.map(({ tenant_id }) => tenant_id))).toEqual([['root', 'leaf'], ['leaf'], []]);
});

it('uses one statement for a thousand tenants, and none for no tenant', async () => {
  const { workspaceId } = await buildChain(call, 'a', 'b', 'c', 'd');
  const keys = Array.from({ length: CHAINS_MAX }, (): [string, string] => [workspaceId, 'd']);

  expect(await runsOf(() => chains(...keys))).toHaveLength(1);
  expect(await runsOf(() => chains())).toHaveLength(0);
  await expect(chains(...keys, [workspaceId, 'd'])).rejects.toThrow('At most 1000');
});
