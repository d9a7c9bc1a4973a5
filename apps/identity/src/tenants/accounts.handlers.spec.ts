import { randomUUID } from 'node:crypto';
import { accounts } from '@tidings/contracts/identity/accounts';
import { profiles } from '@tidings/contracts/identity/profiles';
import { tenants } from '@tidings/contracts/identity/tenants';
import { userTenants } from '@tidings/contracts/identity/user-tenants';
import { contextOf } from '@tidings/testing/context-of';
import { type RunningIdentity, sharedIdentity } from '../testing/start-identity';
import { buildTenant } from '../testing/tenant-builder';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';

let identity: RunningIdentity;
const call: RunningIdentity['call'] = (...parameters) => identity.call(...parameters);

beforeAll(async () => {
  identity = await sharedIdentity();
});

it('an account is a tenant with another name for its parent', async () => {
  const context = contextOf(randomUUID());
  await call(accounts.replace, context, { account_id: 'a', name: 'A' });

  const put = await call(accounts.replace, context, { account_id: 'b', name: 'B', parent_account_id: 'a', properties: { c: 1 } });

  expect(put).toEqual({ id: 'b', type: 'account', name: 'B', parent_account_id: 'a', properties: { c: 1 } });
  await expect(call(accounts.retrieve, context, { account_id: 'b' })).resolves.toEqual(put);
  await expect(call(tenants.retrieve, context, { tenant_id: 'b' })).resolves.toMatchObject({ type: 'tenant', parent_tenant_id: 'a' });
});

it('accounts are listed page by page under their own path', async () => {
  const context = contextOf(randomUUID());
  for (const id of ['c', 'a', 'b']) await buildTenant(call, context, id);

  const first = await call(accounts.list, context, { limit: 2 });
  const second = await call(accounts.list, context, { limit: 2, cursor: first.cursor });

  expect(first.items.map(({ id, type }) => [id, type])).toEqual([
    ['a', 'account'],
    ['b', 'account'],
  ]);
  expect(first).toMatchObject({ url: '/accounts?limit=2', next_url: `/accounts?limit=2&cursor=${first.cursor}`, has_more: true });
  expect(second).toMatchObject({ items: [{ id: 'c' }], has_more: false });
});

it('accounts are listed below one parent, with its id in the URLs of the pages', async () => {
  const context = contextOf(randomUUID());
  await buildTenant(call, context, 'root');
  for (const account_id of ['a', 'b']) await call(accounts.replace, context, { account_id, name: 'X', parent_account_id: 'root' });

  const first = await call(accounts.list, context, { limit: 1, parent_account_id: 'root' });
  const second = await call(accounts.list, context, { limit: 1, parent_account_id: 'root', cursor: first.cursor });

  expect([first, second].map(({ items }) => items.map(({ id }) => id))).toEqual([['a'], ['b']]);
  expect(first.url).toBe('/accounts?limit=1&parent_account_id=root');
  expect(first.next_url).toBe(`${first.url}&cursor=${first.cursor}`);
});

it('an unknown parent is refused with the field name parent_account_id', async () => {
  const context = contextOf(randomUUID());

  await expect(call(accounts.replace, context, { account_id: 'a', name: 'A', parent_account_id: 'ghost' })).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'parent_account_id ghost does not exist: create it first',
  });
});

it('a deleted account is not found', async () => {
  const context = contextOf(randomUUID());
  await buildTenant(call, context, 'a');

  await call(accounts.remove, context, { account_id: 'a' });

  await expect(call(accounts.retrieve, context, { account_id: 'a' })).rejects.toMatchObject({ code: 'not_found' });
});

describe('putting a user with accounts', () => {
  const user_id = 'ada';

  it('stores the profile and the memberships', async () => {
    const context = contextOf(randomUUID());

    await call(accounts.setUser, context, {
      user_id,
      profile: { email: 'ada@example.com' },
      accounts: [{ account_id: 'acme', profile: { title: 'CTO' } }, { account_id: 'bare' }],
    });

    await expect(call(profiles.retrieve, context, { user_id })).resolves.toEqual({ profile: { email: 'ada@example.com' } });
    const { items } = await call(userTenants.list, context, { user_id });
    expect(items.map(({ tenant_id, profile }) => [tenant_id, profile])).toEqual([
      ['acme', { title: 'CTO' }],
      ['bare', {}],
    ]);
  });

  it('does not change what is not named', async () => {
    const context = contextOf(randomUUID());
    await call(accounts.setUser, context, { user_id, profile: { a: 1 }, accounts: [{ account_id: 'acme' }] });

    await call(accounts.setUser, context, { user_id });
    await call(accounts.setUser, context, { user_id, profile: null, accounts: [{ account_id: 'other' }] });

    await expect(call(profiles.retrieve, context, { user_id })).resolves.toEqual({ profile: { a: 1 } });
    expect((await call(userTenants.list, context, { user_id })).items).toHaveLength(2);
  });

  it('stores nothing when one account is refused', async () => {
    const context = contextOf(randomUUID());

    await expect(call(accounts.setUser, context, { user_id, profile: { a: 1 }, accounts: [{ account_id: 'a\0b' }] })).rejects.toMatchObject(
      { code: 'invalid_request', message: expect.stringContaining('accounts[0]') as string },
    );
    await expect(call(profiles.retrieve, context, { user_id })).rejects.toMatchObject({ code: 'not_found' });
  });
});

it('a user is added to several accounts and stays in the others', async () => {
  const context = contextOf(randomUUID());
  const user_id = 'ada';
  await call(userTenants.add, context, { user_id, tenant_id: 'old' });

  await call(accounts.setUserAccounts, context, { user_id, accounts: [{ account_id: 'b', profile: { c: 1 } }, { account_id: 'a' }] });

  expect((await call(userTenants.list, context, { user_id })).items.map(({ tenant_id }) => tenant_id)).toEqual(['a', 'b', 'old']);
});

const account_id = 'acme';
describeWorkspaceIsolation('an account', {
  arrange: async (owner) => void (await buildTenant(call, owner, account_id)),
  look: (owner) => call(accounts.list, owner, {}),
  attempts: {
    retrieve: { attempt: (stranger) => call(accounts.retrieve, stranger, { account_id }), refusedWith: 'not_found' },
    remove: { attempt: (stranger) => call(accounts.remove, stranger, { account_id }), refusedWith: 'not_found' },
    list: { attempt: (stranger) => call(accounts.list, stranger, {}) },
    replace: { attempt: (stranger) => call(accounts.replace, stranger, { account_id, name: 'Another' }) },
  },
});

it('a key with the scope write:profiles alone cannot add users to accounts', async () => {
  const context = contextOf(randomUUID());
  const restricted = { ...context, scopes: ['write:profiles'] };

  const refused = call(accounts.setUser, restricted, { user_id: 'ada', profile: { name: 'Ada' }, accounts: [{ account_id: 'a' }] });

  await expect(refused).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining('write:user-tenants') as string });
  await expect(call(userTenants.list, context, { user_id: 'ada' })).resolves.toMatchObject({ items: [] });
  await expect(call(accounts.setUser, restricted, { user_id: 'ada', profile: { name: 'Ada' } })).resolves.toBeUndefined();
});
