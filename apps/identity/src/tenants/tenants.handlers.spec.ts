import { randomUUID } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import { type ListTenants, TENANT_OBJECT_BYTES_MAX, tenants } from '@tidings/contracts/identity/tenants';
import { userTenants } from '@tidings/contracts/identity/user-tenants';
import { contextOf } from '@tidings/testing/context-of';
import { type RunningIdentity, sharedIdentity } from '../testing/start-identity';
import { buildTenant } from '../testing/tenant-builder';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';

let identity: RunningIdentity;
const call: RunningIdentity['call'] = (...parameters) => identity.call(...parameters);
const tenant_id = 'acme';

beforeAll(async () => {
  identity = await sharedIdentity();
});

/** All ids of all pages; `between` runs after each page but the last. */
async function allIds(
  context: CallContext,
  request: ListTenants,
  between: (page: number) => Promise<unknown> = async () => {},
): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let page = 1; page <= 100; page += 1) {
    const answer = await call(tenants.list, context, { ...request, cursor });
    ids.push(...answer.items.map(({ id }) => id));
    expect(answer.has_more).toBe(answer.cursor !== undefined);
    if (!answer.has_more) return ids;
    cursor = answer.cursor;
    await between(page);
  }
  throw new Error('The listing does not end within 100 pages');
}

describe('a tenant', () => {
  it('is returned as it was put', async () => {
    const context = contextOf(randomUUID());
    await buildTenant(call, context, 'parent');
    const fields = {
      name: 'Acme',
      brand_id: 'brand',
      parent_tenant_id: 'parent',
      properties: { plan: 'gold', nested: { a: [1, null] } },
      user_profile: { locale: 'de' },
    };

    const put = await call(tenants.replace, context, { tenant_id, ...fields });

    expect(put).toEqual({ id: tenant_id, type: 'tenant', ...fields });
    await expect(call(tenants.retrieve, context, { tenant_id })).resolves.toEqual(put);
  });

  it('loses fields that a later PUT does not name, or names as null', async () => {
    const context = contextOf(randomUUID());
    await buildTenant(call, context, tenant_id, { brand_id: 'brand', properties: { a: 1 }, user_profile: { b: 2 } });

    const put = await call(tenants.replace, context, { tenant_id, name: 'Bare', brand_id: null, properties: null });

    expect(put).toEqual({ id: tenant_id, type: 'tenant', name: 'Bare' });
  });

  it('is not found after DELETE, nor by a second DELETE', async () => {
    const context = contextOf(randomUUID());
    await buildTenant(call, context, tenant_id);

    await expect(call(tenants.remove, context, { tenant_id })).resolves.toBeUndefined();

    const missing = { code: 'not_found', message: 'Tenant acme does not exist' };
    await expect(call(tenants.retrieve, context, { tenant_id })).rejects.toMatchObject(missing);
    await expect(call(tenants.remove, context, { tenant_id })).rejects.toMatchObject(missing);
  });

  it.each(['properties', 'user_profile'])('stores %s of exactly the maximum size, and refuses more', async (field) => {
    const context = contextOf(randomUUID());
    const fitting = { a: 'x'.repeat(TENANT_OBJECT_BYTES_MAX - '{"a":""}'.length) };

    await expect(buildTenant(call, context, tenant_id, { [field]: fitting })).resolves.toMatchObject({ [field]: fitting });
    await expect(buildTenant(call, context, tenant_id, { [field]: { a: `${fitting.a}x` } })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(field) as string,
    });
  });

  it.each([
    ['a NUL in the name', { name: 'a\0b' }],
    ['half of a surrogate pair in the brand', { brand_id: '\ud800' }],
    ['a NUL in the parent', { parent_tenant_id: 'a\0b' }],
    ['a NUL in properties', { properties: { 'a\0': 1 } }],
    ['a __proto__ key', { user_profile: JSON.parse('{"__proto__":{"a":1}}') as Record<string, unknown> }],
    ['a NUL in a topic', { default_preferences: { items: [{ id: 'a\0b', status: 'OPTED_IN' as const }] } }],
  ])('with %s is refused as invalid_request', async (_, fields) => {
    const context = contextOf(randomUUID());

    await expect(buildTenant(call, context, tenant_id, fields)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(call(tenants.retrieve, context, { tenant_id })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the list of tenants', () => {
  it('is empty without tenants', async () => {
    await expect(call(tenants.list, contextOf(randomUUID()), {})).resolves.toEqual({
      type: 'list',
      items: [],
      has_more: false,
      url: '/tenants',
    });
  });

  it('has twenty per page, by id; both cursor parameters lead to the next page', async () => {
    const context = contextOf(randomUUID());
    const ids = Array.from({ length: 23 }, (_, n) => `t${String(n).padStart(2, '0')}`);
    for (const id of ids.toReversed()) await buildTenant(call, context, id);

    const first = await call(tenants.list, context, {});
    const rest = await call(tenants.list, context, { starting_after: first.cursor });

    expect(first).toMatchObject({ has_more: true, url: '/tenants', next_url: `/tenants?cursor=${first.cursor}` });
    expect(first.items.map(({ id }) => id)).toEqual(ids.slice(0, 20));
    expect(rest).toMatchObject({ has_more: false, url: `/tenants?cursor=${first.cursor}` });
    expect(rest.items.map(({ id }) => id)).toEqual(ids.slice(20));
  });

  it('skips and repeats nothing while tenants are created and deleted between the pages', async () => {
    const context = contextOf(randomUUID());
    for (let n = 10; n < 20; n += 1) await buildTenant(call, context, `t${n}`);

    const seen = await allIds(context, { limit: 2 }, async (page) => {
      await buildTenant(call, context, `a${page}`); // before the ids already listed
      if (page === 1) await call(tenants.remove, context, { tenant_id: 't11' }); // the tenant of the cursor
      if (page === 2) await buildTenant(call, context, 't185');
    });

    expect(seen).toEqual(['t10', 't11', 't12', 't13', 't14', 't15', 't16', 't17', 't18', 't185', 't19']);
  });

  it('can be limited to the children of one tenant', async () => {
    const context = contextOf(randomUUID());
    for (const id of ['p', 'q']) await buildTenant(call, context, id);
    for (const id of ['c3', 'c1', 'c2']) await buildTenant(call, context, id, { parent_tenant_id: 'p' });
    await buildTenant(call, context, 'd', { parent_tenant_id: 'q' });
    await buildTenant(call, context, 'grandchild', { parent_tenant_id: 'c1' });

    await expect(allIds(context, { parent_tenant_id: 'p', limit: 2 })).resolves.toEqual(['c1', 'c2', 'c3']);
    await expect(allIds(context, { parent_tenant_id: 'unknown' })).resolves.toEqual([]);
  });

  it('refuses the cursor of another listing', async () => {
    const context = contextOf(randomUUID());
    await buildTenant(call, context, 'a');
    await buildTenant(call, context, 'b');
    const { cursor } = await call(tenants.list, context, { limit: 1 });

    for (const [by, request] of [
      [context, { cursor, parent_tenant_id: 'a' }],
      [contextOf(randomUUID()), { cursor }],
      [context, { cursor: 'nonsense' }],
    ] as const) {
      await expect(call(tenants.list, by, request)).rejects.toMatchObject({ code: 'invalid_request' });
    }
  });

  it('ends a page before its answer exceeds the size limit', async () => {
    const context = contextOf(randomUUID());
    const large = { a: 'x'.repeat(250 * 1024) };
    for (let n = 10; n < 20; n += 1) await buildTenant(call, context, `t${n}`, { properties: large, user_profile: large });

    const first = await call(tenants.list, context, {});

    expect(first.has_more).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(first))).toBeLessThan(4_000_000);
    await expect(allIds(context, {})).resolves.toHaveLength(10);
  });
});

describe('the users of a tenant', () => {
  it('are its members with their profiles there, page by page', async () => {
    const context = contextOf(randomUUID());
    await buildTenant(call, context, 'a/c me');
    for (const user_id of ['u3', 'u1', 'u2']) {
      await call(userTenants.add, context, { user_id, tenant_id: 'a/c me', profile: { of: user_id } });
    }
    await call(userTenants.add, context, { user_id: 'elsewhere', tenant_id: 'other' });

    const first = await call(tenants.users, context, { tenant_id: 'a/c me', limit: 2 });
    const second = await call(tenants.users, context, { tenant_id: 'a/c me', limit: 2, cursor: first.cursor });

    const member = (user_id: string) => ({ user_id, tenant_id: 'a/c me', profile: { of: user_id }, type: 'user' });
    expect(first).toMatchObject({ has_more: true, url: '/tenants/a%2Fc%20me/users?limit=2', items: [member('u1'), member('u2')] });
    expect(second).toMatchObject({ has_more: false, items: [member('u3')] });
  });

  it('stay associated when the tenant is deleted, and count again when it is created again', async () => {
    const context = contextOf(randomUUID());
    await buildTenant(call, context, tenant_id);
    await call(userTenants.add, context, { user_id: 'ada', tenant_id });

    await call(tenants.remove, context, { tenant_id });

    await expect(call(tenants.users, context, { tenant_id })).rejects.toMatchObject({ code: 'not_found' });
    await expect(call(userTenants.retrieve, context, { user_id: 'ada', tenant_id })).resolves.toMatchObject({ tenant_id });
    await buildTenant(call, context, tenant_id);
    await expect(call(tenants.users, context, { tenant_id })).resolves.toMatchObject({ items: [{ user_id: 'ada' }] });
  });
});

describeWorkspaceIsolation('a tenant', {
  arrange: async (owner) => {
    await buildTenant(call, owner, tenant_id, { properties: { secret: 1 } });
    await call(userTenants.add, owner, { user_id: 'ada', tenant_id });
  },
  look: (owner) =>
    Promise.all([call(tenants.retrieve, owner, { tenant_id }), call(tenants.list, owner, {}), call(tenants.users, owner, { tenant_id })]),
  attempts: {
    retrieve: { attempt: (stranger) => call(tenants.retrieve, stranger, { tenant_id }), refusedWith: 'not_found' },
    users: { attempt: (stranger) => call(tenants.users, stranger, { tenant_id }), refusedWith: 'not_found' },
    remove: { attempt: (stranger) => call(tenants.remove, stranger, { tenant_id }), refusedWith: 'not_found' },
    list: { attempt: (stranger) => call(tenants.list, stranger, {}) },
    replace: { attempt: (stranger) => buildTenant(call, stranger, tenant_id) },
    'a default': {
      attempt: (stranger) => call(tenants.replaceDefault, stranger, { tenant_id, topic_id: 'topic', status: 'OPTED_IN' }),
      refusedWith: 'not_found',
    },
    'removing a default': {
      attempt: (stranger) => call(tenants.removeDefault, stranger, { tenant_id, topic_id: 'topic' }),
      refusedWith: 'not_found',
    },
  },
});
