import { randomUUID } from 'node:crypto';
import { type ProfileFields, profiles } from '@tidings/contracts/identity/profiles';
import { type SearchUsers, userSearch } from '@tidings/contracts/identity/user-search';
import { userTokens } from '@tidings/contracts/identity/user-tokens';
import { contextOf } from '@tidings/testing/context-of';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { type RunningIdentity, sharedIdentity } from '../testing/start-identity';

let identity: RunningIdentity;
const call: RunningIdentity['call'] = (...parameters) => identity.call(...parameters);

beforeAll(async () => {
  identity = await sharedIdentity();
});

/** A new workspace with these users, in this order. */
async function workspaceWith(users: Record<string, ProfileFields>) {
  const context = contextOf(randomUUID());
  for (const [user_id, profile] of Object.entries(users)) await call(profiles.replace, context, { user_id, profile });
  const search = (request: SearchUsers) => call(userSearch.search, context, request);
  const found = async (query: string) => {
    const { matched, items } = await search({ query });
    return [matched, ...items.map(({ id }) => id)];
  };
  return { context, search, found };
}

const ADA = { email: 'Ada@Example.com', phone_number: '+4915123456789', name: 'Ada' };

it('lists all users without a query, the last changed first, over pages', async () => {
  const { context, search } = await workspaceWith({ ada: ADA, bo: {}, cy: { given_name: 'Cy', family_name: 'Young' } });
  await call(profiles.merge, context, { user_id: 'ada', profile: { changed: true } });

  const first = await search({ limit: 2 });
  const second = await search({ limit: 2, cursor: first.paging.cursor });

  expect(first.items).toEqual([
    { id: 'ada', email: 'Ada@Example.com', phone_number: '+4915123456789', name: 'Ada', updated: expect.any(String) as string },
    { id: 'cy', name: 'Cy Young', updated: expect.any(String) as string },
  ]);
  expect(second).toMatchObject({ matched: null, items: [{ id: 'bo' }], paging: { more: false } });
  await expect(search({ query: 'a', cursor: first.paging.cursor })).rejects.toMatchObject({ code: 'invalid_request' });
});

it('finds users by the beginning of their id, in order, over pages', async () => {
  const { search, found } = await workspaceWith({ 'user-2': {}, 'user-1': {}, 'user%': {}, other: {}, 'user-🙂': {} });

  const first = await search({ query: 'user-', limit: 2 });
  const rest = await search({ query: 'user-', limit: 2, cursor: first.paging.cursor });

  expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(['user-1', 'user-2', 'user-🙂']);
  expect(await found('user%')).toEqual(['id', 'user%']);
  expect(await found('%')).toEqual([null]);
  expect(await found('User')).toEqual([null]);
});

it('finds users by e-mail address in any case, by phone number and by push token', async () => {
  const { context, found } = await workspaceWith({ ada: ADA, bo: { ...ADA, phone_number: '+1' }, cy: { email: 'ada@example.com.org' } });
  await call(userTokens.put, context, { user_id: 'dan', token: 'token-of-dan', body: { provider_key: 'expo' } });

  expect(await found('ada@example.COM')).toEqual(['address', 'ada', 'bo']);
  expect(await found('+4915123456789')).toEqual(['address', 'ada']);
  expect(await found('token-of-dan')).toEqual(['token', 'dan']);
  expect(await found('da@example.com')).toEqual([null]);
});

it('stores and lists profiles whose addresses are no texts, or too long for an index', async () => {
  const long = `${'x'.repeat(5_000)}@example.com`;
  const { search } = await workspaceWith({
    ada: { email: long, phone_number: '1'.repeat(5_000) },
    bo: { email: { a: 1 }, phone_number: 7 },
  });

  const { items } = await search({});

  expect(items.map(({ id, email }) => [id, email?.length])).toEqual([
    ['bo', 8],
    ['ada', 320],
  ]);
});

describeWorkspaceIsolation('a user search', {
  arrange: async (owner) => void (await call(profiles.replace, owner, { user_id: 'ada', profile: ADA })),
  read: (owner) => call(userSearch.search, owner, {}),
  attempts: {
    search: { attempt: (stranger) => call(userSearch.search, stranger, {}) },
    'search by id': { attempt: (stranger) => call(userSearch.search, stranger, { query: 'ada' }) },
    'search by address': { attempt: (stranger) => call(userSearch.search, stranger, { query: ADA.email }) },
  },
});
