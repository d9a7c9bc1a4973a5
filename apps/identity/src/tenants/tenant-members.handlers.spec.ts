import { randomUUID } from 'node:crypto';
import { TENANT_MEMBERS_PAGE_MAX, tenantMembers } from '@tidings/contracts/identity/tenant-members';
import { tenants } from '@tidings/contracts/identity/tenants';
import { contextOf } from '@tidings/testing/context-of';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { type RunningIdentity, sharedIdentity } from '../testing/start-identity';
import { buildManyTenants, buildMembers, buildTree, membersOf } from '../testing/tenant-members';

let identity: RunningIdentity;
const tenant_id = 'acme';

beforeAll(async () => {
  identity = await sharedIdentity();
});

describe('the members of a tenant', () => {
  it('are listed by id, page by page, without those of the tenants below', async () => {
    const context = await buildTree(identity, 'acme', 'acme/berlin');
    await buildMembers(identity, context, { acme: ['eve', 'Ada', 'bob'], berlin: ['cid'] });
    const request = { tenant_id, include_children: false, limit: 2 };

    const first = await identity.call(tenantMembers.load, context, request);
    const second = await identity.call(tenantMembers.load, context, { ...request, cursor: first.cursor });

    expect(first).toEqual({
      found: true,
      members: [
        { user_id: 'Ada', tenant_id },
        { user_id: 'bob', tenant_id },
      ],
      more: true,
      cursor: expect.any(String) as string,
    });
    expect(second).toEqual({ found: true, members: [{ user_id: 'eve', tenant_id }], more: false });
  });

  it.each([true, false])('are not found without the tenant, though associations exist (include_children: %s)', async (include_children) => {
    const context = await buildTree(identity, 'other');
    await buildMembers(identity, context, { acme: ['ada'] });

    const load = () => identity.call(tenantMembers.load, context, { tenant_id, include_children });

    await expect(load()).resolves.toEqual({ found: false, members: [], more: false });
    await identity.call(tenants.replace, context, { tenant_id, name: 'Acme' });
    await expect(load()).resolves.toEqual({ found: true, members: [{ user_id: 'ada', tenant_id }], more: false });
  });

  it('are empty for a tenant without members', async () => {
    const context = await buildTree(identity, 'acme', 'acme/berlin');

    await expect(identity.call(tenantMembers.load, context, { tenant_id, include_children: true })).resolves.toEqual({
      found: true,
      members: [],
      more: false,
    });
  });

  it('have the requested page size, at most a thousand', async () => {
    const context = await buildTree(identity, 'acme');
    await identity.sql(
      `insert into user_tenants (workspace_id, user_id, tenant_id, profile) select $1, 'u' || n, 'acme', '{}' from generate_series(1, $2) n`,
      [context.workspaceId, TENANT_MEMBERS_PAGE_MAX + 1],
    );
    const load = (limit?: number) => identity.call(tenantMembers.load, context, { tenant_id, include_children: true, limit });

    expect((await load()).members).toHaveLength(TENANT_MEMBERS_PAGE_MAX);
    expect((await load(7)).members).toHaveLength(7);
    await expect(load(TENANT_MEMBERS_PAGE_MAX + 1)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe.each(['a few', 'thousands of'])('with %s tenants below', (size) => {
  const treeOf = async (...paths: string[]) => {
    const context = await buildTree(identity, ...paths);
    if (size === 'thousands of') await buildManyTenants(identity, context, paths[0]!);
    return context;
  };

  it.each([1, 2, 3, 100])('members are sorted by level, then by tenant, then by user (%d a page)', async (limit) => {
    const context = await treeOf('m', 'm/z', 'm/a', 'z/b', 'a/y', 'y/c', 'b/x', 'elsewhere', 'elsewhere/below');
    await buildMembers(identity, context, {
      ...{ x: ['1', '3'], c: ['2'], y: ['1', '2'], b: ['3', '4'], a: ['6'], z: ['5', '1'], m: ['7', '1'] },
      ...{ elsewhere: ['8'], below: ['9'], nowhere: ['0'] },
    });

    const members = await membersOf(identity, context, { tenant_id: 'm', limit });

    expect(members).toEqual(['m/1', 'm/7', 'a/6', 'z/1', 'z/5', 'b/3', 'b/4', 'y/1', 'y/2', 'c/2', 'x/1', 'x/3']);
  });

  it('a tenant in the middle of the tree has the members below it, and none above', async () => {
    const context = await treeOf('m', 'm/a', 'a/b', 'b/c', 'm/n');
    await buildMembers(identity, context, { m: ['1'], a: ['2'], b: ['3'], c: ['4'], n: ['5'] });

    await expect(membersOf(identity, context, { tenant_id: 'a' })).resolves.toEqual(['a/2', 'b/3', 'c/4']);
    await expect(membersOf(identity, context, { tenant_id: 'c' })).resolves.toEqual(['c/4']);
  });
});

describe('a cursor', () => {
  it('is accepted for its own tenant and depth only', async () => {
    const context = await buildTree(identity, 'acme', 'other');
    await buildMembers(identity, context, { acme: ['ada', 'bob'] });
    const request = { tenant_id, include_children: true };
    const { cursor } = await identity.call(tenantMembers.load, context, { ...request, limit: 1 });
    const [ofTenant, ofUser] = cursor!.split('.');

    await identity.call(tenantMembers.load, context, { ...request, cursor });
    for (const wrong of [
      { ...request, cursor, tenant_id: 'other' },
      { ...request, cursor, include_children: false },
      { ...request, cursor: 'nonsense' },
      { ...request, cursor: ofTenant },
      { ...request, cursor: `${ofUser}.${ofTenant}` },
    ]) {
      await expect(identity.call(tenantMembers.load, context, wrong)).rejects.toMatchObject({ code: 'invalid_request' });
    }
  });

  it('fits the longest ids', async () => {
    const [tenant, user] = ['😀'.repeat(256), '😀'.repeat(511)];
    const context = await buildTree(identity, 'acme', `acme/${tenant}`);
    await buildMembers(identity, context, { [tenant]: [`${user}1`, `${user}2`] });

    await expect(membersOf(identity, context, { tenant_id, limit: 1 })).resolves.toEqual([`${tenant}/${user}1`, `${tenant}/${user}2`]);
  });
});

describeWorkspaceIsolation('the members of a tenant', {
  arrange: async (owner) => {
    await identity.call(tenants.replace, owner, { tenant_id, name: 'Acme' });
    await identity.call(tenants.replace, owner, { tenant_id: 'berlin', name: 'Berlin', parent_tenant_id: tenant_id });
    await buildMembers(identity, owner, { acme: ['ada'], berlin: ['bob'] });
  },
  look: (owner) => membersOf(identity, owner, { tenant_id }),
  attempts: {
    load: { attempt: (stranger) => membersOf(identity, stranger, { tenant_id }) },
    'loading those of a tenant of the same name': {
      attempt: async (stranger) => {
        await identity.call(tenants.replace, stranger, { tenant_id, name: 'Mine' });
        return membersOf(identity, stranger, { tenant_id });
      },
    },
  },
});

it('refuses a cursor in another workspace', async () => {
  const context = await buildTree(identity, 'acme');
  await buildMembers(identity, context, { acme: ['ada', 'bob'] });
  const { cursor } = await identity.call(tenantMembers.load, context, { tenant_id, include_children: true, limit: 1 });

  await expect(
    identity.call(tenantMembers.load, contextOf(randomUUID()), { tenant_id, include_children: true, cursor }),
  ).rejects.toMatchObject({ code: 'invalid_request' });
});
