import { randomUUID } from 'node:crypto';
import { TENANTS_PER_USER_MAX } from '@tidings/contracts/identity/events';
import { MEMBER_PROFILE_BYTES_MAX, type UserTenantEntry, userTenants } from '@tidings/contracts/identity/user-tenants';
import { contextOf } from '@tidings/testing/context-of';
import { type RunningIdentity, sharedIdentity } from '../testing/start-identity';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';

let identity: RunningIdentity;
const call: RunningIdentity['call'] = (...parameters) => identity.call(...parameters);

beforeAll(async () => {
  identity = await sharedIdentity();
});

/** A user of a new workspace. */
function newUser(user_id = 'ada') {
  const context = contextOf(randomUUID());
  return {
    context,
    add: (tenant_id: string, profile?: Record<string, unknown> | null) => call(userTenants.add, context, { user_id, tenant_id, profile }),
    addMany: (tenants: UserTenantEntry[]) => call(userTenants.addMany, context, { user_id, tenants }),
    one: (tenant_id: string) => call(userTenants.retrieve, context, { user_id, tenant_id }),
    page: (query: { cursor?: string; limit?: number; starting_after?: string } = {}) =>
      call(userTenants.list, context, { user_id, ...query }),
    remove: (tenant_id: string) => call(userTenants.remove, context, { user_id, tenant_id }),
    removeAll: () => call(userTenants.removeAll, context, { user_id }),
  };
}
type TestUser = ReturnType<typeof newUser>;

const idsOf = async (user: TestUser) => (await user.page({ limit: 100 })).items.map(({ tenant_id }) => tenant_id);
const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n): UserTenantEntry => ({ tenant_id: `t${String(from + n).padStart(4, '0')}` }));

describe('adding a user to a tenant', () => {
  it('creates an association, also for an unknown tenant or user', async () => {
    const ada = newUser();

    await expect(ada.add('acme', { title: 'CTO' })).resolves.toBeUndefined();

    await expect(ada.one('acme')).resolves.toEqual({ user_id: 'ada', tenant_id: 'acme', profile: { title: 'CTO' }, type: 'user' });
  });

  it.each([undefined, null])('with the profile %s stores an empty one, also instead of another', async (nothing) => {
    const ada = newUser();

    await ada.add('new', nothing);
    await expect(ada.one('new')).resolves.toMatchObject({ profile: {} });

    await ada.add('old', { title: 'CTO' });
    await ada.add('old', nothing);
    expect((await ada.one('old')).profile).toEqual({});
  });

  it('replaces the profile without merging', async () => {
    const ada = newUser();
    await ada.add('acme', { a: 1 });

    await ada.add('acme', { b: 2 });

    expect((await ada.one('acme')).profile).toEqual({ b: 2 });
  });
});

describe('adding a user to several tenants', () => {
  it('does not change the others', async () => {
    const ada = newUser();
    await ada.add('old', { a: 1 });

    await ada.addMany([{ tenant_id: 'new', profile: { b: 2 } }, { tenant_id: 'bare' }]);

    expect((await ada.page()).items.map(({ tenant_id, profile }) => [tenant_id, profile])).toEqual([
      ['bare', {}],
      ['new', { b: 2 }],
      ['old', { a: 1 }],
    ]);
  });

  it('stores the last of two entries for one tenant', async () => {
    const ada = newUser();

    await ada.addMany([
      { tenant_id: 'acme', profile: { a: 1 } },
      { tenant_id: 'acme', profile: { b: 2 } },
    ]);

    expect((await ada.one('acme')).profile).toEqual({ b: 2 });
  });

  it('does nothing for an empty list', async () => {
    const ada = newUser();

    await expect(ada.addMany([])).resolves.toBeUndefined();
    await expect(idsOf(ada)).resolves.toEqual([]);
  });

  it.each<[string, UserTenantEntry, string]>([
    ['a NUL in an id', { tenant_id: 'a\0b' }, 'tenants[1].tenant_id'],
    ['a NUL in a profile', { tenant_id: 'b', profile: { a: '\0' } }, 'tenants[1].profile'],
    ['a profile that is too large', { tenant_id: 'b', profile: { a: 'x'.repeat(MEMBER_PROFILE_BYTES_MAX) } }, 'tenants[1].profile'],
  ])('adds to none when one has %s, and names the entry', async (_, entry, named) => {
    const ada = newUser();

    await expect(ada.addMany([{ tenant_id: 'a' }, entry])).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(named) as string,
    });
    await expect(idsOf(ada)).resolves.toEqual([]);
  });

  it('adds to none when the user would exceed the maximum', async () => {
    const ada = newUser();
    await ada.addMany(numbered(TENANTS_PER_USER_MAX - 1));

    await expect(ada.addMany([{ tenant_id: 'x' }, { tenant_id: 'y' }])).rejects.toMatchObject({
      code: 'invalid_request',
      message: `User ada would belong to more than ${TENANTS_PER_USER_MAX} tenants`,
    });
    await expect(ada.one('x')).rejects.toMatchObject({ code: 'not_found' });
    await expect(ada.add('x')).resolves.toBeUndefined();
    await expect(ada.addMany([{ tenant_id: 'x', profile: { still: 'welcome' } }])).resolves.toBeUndefined();
    await expect(ada.add('y')).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('does not exceed the maximum by two concurrent calls', async () => {
    const ada = newUser();
    await ada.addMany(numbered(TENANTS_PER_USER_MAX - 5));

    const outcomes = await Promise.allSettled([ada.addMany(numbered(5, 2_000)), ada.addMany(numbered(5, 3_000))]);

    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('does not deadlock when calls name the same tenants in different orders', async () => {
    const ada = newUser();
    const entries = numbered(50);

    await Promise.all(Array.from({ length: 10 }, (_, n) => ada.addMany(n % 2 === 0 ? entries : entries.toReversed())));

    await expect(idsOf(ada)).resolves.toEqual(entries.map(({ tenant_id }) => tenant_id));
  });
});

describe('removing a user', () => {
  it('from one tenant leaves the others', async () => {
    const ada = newUser();
    await ada.addMany(numbered(3));

    await expect(ada.remove('t0001')).resolves.toBeUndefined();

    await expect(idsOf(ada)).resolves.toEqual(['t0000', 't0002']);
  });

  it('from all tenants leaves none', async () => {
    const ada = newUser();
    await ada.addMany(numbered(3));

    await expect(ada.removeAll()).resolves.toBeUndefined();

    await expect(idsOf(ada)).resolves.toEqual([]);
  });

  it('succeeds without an association', async () => {
    await expect(newUser().remove('acme')).resolves.toBeUndefined();
    await expect(newUser().removeAll()).resolves.toBeUndefined();
  });
});

describe('the tenants of a user', () => {
  it('are an empty page for an unknown user', async () => {
    await expect(newUser('a/d a').page()).resolves.toEqual({
      type: 'list',
      items: [],
      has_more: false,
      url: '/users/a%2Fd%20a/tenants',
    });
  });

  it('are twenty per page, by id; both cursor parameters lead to the next page', async () => {
    const ada = newUser();
    await ada.addMany(numbered(22).toReversed());

    const first = await ada.page();
    const [byCursor, byOlderName] = await Promise.all([ada.page({ cursor: first.cursor }), ada.page({ starting_after: first.cursor })]);

    expect(first.items).toHaveLength(20);
    expect(first).toMatchObject({ has_more: true, url: '/users/ada/tenants', next_url: `/users/ada/tenants?cursor=${first.cursor}` });
    expect(byCursor.items.map(({ tenant_id }) => tenant_id)).toEqual(['t0020', 't0021']);
    expect(byCursor).toMatchObject({ has_more: false });
    expect(byOlderName).toEqual(byCursor);
  });

  it('are listed once each while they change between the pages', async () => {
    const ada = newUser();
    await ada.addMany(numbered(6));

    const first = await ada.page({ limit: 3 });
    await ada.remove('t0002'); // the tenant of the cursor
    await ada.addMany([{ tenant_id: 'a' }, { tenant_id: 't00035' }]);
    const rest = await ada.page({ limit: 4, cursor: first.cursor });

    expect([...first.items, ...rest.items].map(({ tenant_id }) => tenant_id)).toEqual([
      't0000',
      't0001',
      't0002',
      't0003',
      't00035',
      't0004',
      't0005',
    ]);
    expect(rest.has_more).toBe(false);
  });

  it('are refused with the name of the parameter that is no cursor', async () => {
    const context = contextOf(randomUUID());

    for (const name of ['cursor', 'starting_after']) {
      await expect(call(userTenants.list, context, { user_id: 'ada', [name]: 'zz' })).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringMatching(`^${name} "zz" is not valid`) as string,
      });
    }
  });

  it('refuse the cursor of another user', async () => {
    const ada = newUser();
    await ada.addMany(numbered(2));
    const { cursor } = await ada.page({ limit: 1 });

    await expect(call(userTenants.list, ada.context, { user_id: 'grace', cursor })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('are refused with the ids of the missing association', async () => {
    await expect(newUser().one('acme')).rejects.toMatchObject({
      code: 'not_found',
      message: 'User ada does not belong to tenant acme',
    });
  });

  it('refuse a user id that cannot be stored', async () => {
    const ghost = newUser('a\0b');

    for (const attempt of [ghost.page(), ghost.one('t'), ghost.add('t'), ghost.addMany([]), ghost.remove('t'), ghost.removeAll()]) {
      await expect(attempt).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining('user_id') as string });
    }
  });
});

const named = { user_id: 'ada', tenant_id: 'acme' };
describeWorkspaceIsolation('an association', {
  arrange: async (owner) => void (await call(userTenants.add, owner, { ...named, profile: { title: 'CTO' } })),
  look: (owner) => call(userTenants.retrieve, owner, named),
  attempts: {
    retrieve: { attempt: (stranger) => call(userTenants.retrieve, stranger, named), refusedWith: 'not_found' },
    list: { attempt: (stranger) => call(userTenants.list, stranger, { user_id: 'ada' }) },
    add: { attempt: (stranger) => call(userTenants.add, stranger, named) },
    addMany: { attempt: (stranger) => call(userTenants.addMany, stranger, { user_id: 'ada', tenants: [{ tenant_id: 'acme' }] }) },
    remove: { attempt: (stranger) => call(userTenants.remove, stranger, named) },
    removeAll: { attempt: (stranger) => call(userTenants.removeAll, stranger, { user_id: 'ada' }) },
  },
});
