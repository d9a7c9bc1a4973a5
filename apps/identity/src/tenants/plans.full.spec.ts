import { randomUUID } from 'node:crypto';
import { accounts } from '@tidings/contracts/identity/accounts';
import { memberships, tenantMembers } from '@tidings/contracts/identity/tenant-members';
import { tenants } from '@tidings/contracts/identity/tenants';
import { userTenants } from '@tidings/contracts/identity/user-tenants';
import { Database } from '@tidings/persistence/database';
import { contextOf } from '@tidings/testing/context-of';
import { expectIndexed } from '@tidings/testing/explain';
import { type RunningIdentity, startIdentity } from '../testing/start-identity';
import { runsOf } from '@tidings/testing/runs-of';
import { buildTenant } from '../testing/tenant-builder';
import { membersOf } from '../testing/tenant-members';
import { tenantChains } from '../tenant-chain';

const ROWS = 20_000;
const context = contextOf(randomUUID());
const { workspaceId } = context;

let identity: RunningIdentity;
const call: RunningIdentity['call'] = (...parameters) => identity.call(...parameters);

beforeAll(async () => {
  identity = await startIdentity();
  await fill();
});
afterAll(() => identity.stop());

/** A workspace with a root, a hundred tenants below it and all others below those; one tenant has nearly all members. */
async function fill(): Promise<void> {
  for (const insert of [
    `insert into preference_topics (workspace_id, section_id, topic_id, name, default_status, allowed_preferences,
                                    include_unsubscribe_header, routing_options, topic_data, bytes)
     select case when n = 1 then $1::uuid else gen_random_uuid() end, 'section', case when n = 1 then 'topic' else 'topic ' || n end,
            'Topic', 'OPTED_IN', '{}', false, '{}', '{}', 400 from generate_series(1, ${ROWS}) n`,
    `insert into tenants (workspace_id, tenant_id, parent_tenant_id, name)
     select $1, 't' || n, case when n = 1 then null when n <= 100 then 't1' else 't' || 2 + n % 99 end, 'Tenant'
       from generate_series(1, ${ROWS}) n`,
    `insert into tenant_default_preferences (workspace_id, tenant_id, topic_id, status, has_custom_routing, custom_routing)
     select $1, 't' || n, 'topic', 'OPTED_OUT', false, '{}' from generate_series(1, ${ROWS}) n`,
    `insert into user_tenants (workspace_id, user_id, tenant_id, profile)
     select $1, 'u' || n, tenant, '{}' from generate_series(1, ${ROWS}) n, unnest(array['t1', 't' || n]) tenant on conflict do nothing`,
    `insert into tenant_moves (workspace_id, moves)
     select case when n = 1 then $1::uuid else gen_random_uuid() end, n from generate_series(1, ${ROWS}) n`,
  ]) {
    await identity.sql(insert, [workspaceId]);
  }
  await identity.sql('analyze', []);
}

const moveOne = () => buildTenant(call, context, 't19999', { parent_tenant_id: 't7' });
const [tenant_id, topic_id, user_id] = ['t150', 'topic', 'u7'];

describe.each<[string, () => Promise<unknown>]>([
  ['listing tenants', () => call(tenants.list, context, {})],
  ['listing children', () => call(tenants.list, context, { parent_tenant_id: 't5' })],
  [
    'listing tenants from a page in the middle',
    async () => {
      const { cursor } = await call(tenants.list, context, { limit: 100 });
      await call(tenants.list, context, { cursor });
    },
  ],
  ['getting a tenant', () => call(tenants.retrieve, context, { tenant_id })],
  ['loading members', () => call(tenantMembers.load, context, { tenant_id: 't1', include_children: false })],
  ['loading the members of a small tree', () => membersOf(identity, context, { tenant_id: 't5' })],
  ['loading the members of a large tree', () => membersOf(identity, context, { tenant_id: 't1' })],
  [
    'loading members from a page in the middle',
    async () => {
      const request = { tenant_id: 't5', include_children: true, limit: 50 };
      const { cursor } = await call(tenantMembers.load, context, request);
      await call(tenantMembers.load, context, { ...request, cursor });
    },
  ],
  [
    'loading members of a tree that was changed between the pages',
    () => membersOf(identity, context, { tenant_id: 't1' }, async (page) => void (page === 1 && (await moveOne()))),
  ],
  [
    'checking memberships',
    () => call(memberships.check, context, { memberships: Array.from({ length: 1_000 }, (_, n) => ({ user_id: `u${n}`, tenant_id })) }),
  ],
  ['creating a tenant below another', () => buildTenant(call, context, 'new', { parent_tenant_id: 't5' })],
  ['moving a tenant that has children', () => buildTenant(call, context, 't5', { parent_tenant_id: 't1' })],
  [
    'deleting a tenant',
    async () => {
      await buildTenant(call, context, 'leaf');
      await call(tenants.remove, context, { tenant_id: 'leaf' });
    },
  ],
  ['a refused deletion', () => call(tenants.remove, context, { tenant_id: 't1' }).catch(() => undefined)],
  ['listing members', () => call(tenants.users, context, { tenant_id: 't1' })],
  ['removing a default', () => call(tenants.removeDefault, context, { tenant_id, topic_id })],
  ['setting a default', () => call(tenants.replaceDefault, context, { tenant_id, topic_id, status: 'OPTED_IN' })],
  ['listing the tenants of a user', () => call(userTenants.list, context, { user_id })],
  ['getting an association', () => call(userTenants.retrieve, context, { user_id, tenant_id: 't1' })],
  ['adding a user', () => call(userTenants.add, context, { user_id, tenant_id: 'new' })],
  ['adding a user to several', () => call(userTenants.addMany, context, { user_id, tenants: [{ tenant_id: 'x' }, { tenant_id: 'y' }] })],
  ['removing a user from one', () => call(userTenants.remove, context, { user_id, tenant_id: 't1' })],
  ['removing a user from all', () => call(userTenants.removeAll, context, { user_id: 'u8' })],
  ['putting a user with accounts', () => call(accounts.setUser, context, { user_id, profile: { a: 1 }, accounts: [{ account_id: 'z' }] })],
  [
    'the chains of fifty tenants', // the planner estimates ten rows for each step of a chain
    () =>
      tenantChains(
        identity.get(Database),
        Array.from({ length: 50 }, (_, n) => ({ workspaceId, tenantId: `t${n * 37}` })),
      ),
  ],
])('%s', (_, work) => {
  it('scans no whole table', async () => {
    const runs = await runsOf(work);

    expect(runs.length).toBeGreaterThan(0);
    for (const [statement, values] of runs) await expectIndexed(identity.sql, statement, values);
  });
});
