import { Client } from 'pg';
import type { Product } from './product';
import { request, type Query } from './queries';
import { productDatabaseUrl, workspaceOfProfiles } from './product-database';

/** Push tokens of each user. */
const TOKENS_PER_USER = 2;
/** Users per tenant; the large tenant has every second user besides. */
const USERS_PER_TENANT = 10;
const PAGE = 100;

export const LARGE_TENANT = 'tenant-0';
const userId = (number: number): string => `user-${number}`;

/**
 * Inserts `users` profiles, two tokens each, and as many memberships: half of them in one tenant, the others spread over one tenant
 * for every ten users. Rows are inserted by SQL, with the product's own tables and indexes.
 */
export async function fill(product: Product, users: number): Promise<void> {
  const { dataDirectory } = product;
  await request(product, `/profiles/${userId(0)}`, { method: 'PUT', body: JSON.stringify({ profile: { name: 'first' } }) });
  const workspace = await workspaceOfProfiles(dataDirectory);
  const client = new Client({ connectionString: productDatabaseUrl(dataDirectory), application_name: 'bench' });
  await client.connect();
  try {
    for (const text of FILL) await client.query(text, [workspace, users]);
    for (const table of ['profiles', 'push_tokens', 'tenants', 'user_tenants']) await client.query(`vacuum analyze identity.${table}`);
  } finally {
    await client.end();
  }
}

const EVERY_USER = 'generate_series(0, $2::int - 1) as n';

/** Parameters of every statement: the workspace and the number of users. */
const FILL = [
  `insert into identity.profiles (workspace_id, user_id, profile)
   select $1::uuid, 'user-' || n, jsonb_build_object('email', 'user-' || n || '@example.com', 'name', 'User ' || n, 'locale', 'en-GB',
          'plan', 'standard', 'city', 'London', 'visits', n)
     from ${EVERY_USER} on conflict do nothing`,
  `insert into identity.push_tokens (workspace_id, token_hash, token, user_id, provider_key, bytes, expires_at)
   select $1::uuid, sha256(convert_to('token-' || n || '-' || k, 'UTF8')), 'token-' || n || '-' || k, 'user-' || n, 'expo', 30,
          now() + interval '30 days'
     from ${EVERY_USER}, generate_series(1, ${TOKENS_PER_USER}) as k`,
  `insert into identity.tenants (workspace_id, tenant_id, name)
   select $1::uuid, 'tenant-' || n, 'Tenant ' || n from generate_series(0, $2::int / ${USERS_PER_TENANT}) as n`,
  `insert into identity.user_tenants (workspace_id, user_id, tenant_id, profile)
   select $1::uuid, 'user-' || n, case when n % 2 = 0 then '${LARGE_TENANT}' else 'tenant-' || (1 + n / ${USERS_PER_TENANT}) end, '{}'::jsonb
     from ${EVERY_USER}`,
];

/** GETs of single resources and of pages in the middle, for a product with `users` users. */
export async function queriesOf(product: Product, users: number): Promise<Query[]> {
  // Visits all users in a scattered order: 7,919 is a prime that divides no round number of users.
  const someUser = (number: number): number => (number * 7_919) % users;
  const someMember = (number: number): number => someUser(number) & ~1;
  const tenants = Math.floor(users / USERS_PER_TENANT);
  const middleOfTenants = await middlePage(product, '/tenants', tenants / 2);
  const middleOfMembers = await middlePage(product, `/tenants/${LARGE_TENANT}/users`, users / 4);
  return [
    { name: 'a profile', pathOf: (n) => `/profiles/${userId(someUser(n))}` },
    { name: 'the tokens of a user', pathOf: (n) => `/users/${userId(someUser(n))}/tokens` },
    { name: 'a token', pathOf: (n) => `/users/${userId(someUser(n))}/tokens/token-${someUser(n)}-1` },
    { name: 'the tenants of a user', pathOf: (n) => `/users/${userId(someUser(n))}/tenants` },
    { name: 'a membership', pathOf: (n) => `/users/${userId(someMember(n))}/tenants/${LARGE_TENANT}` },
    { name: 'a tenant', pathOf: (n) => `/tenants/tenant-${n % tenants}` },
    { name: 'tenants, a page in the middle', pathOf: () => middleOfTenants },
    { name: 'users of a tenant, a page in the middle', pathOf: () => middleOfMembers },
  ];
}

/** Path of the page after about `items` items, found page by page as a client does. */
async function middlePage(product: Product, path: string, items: number): Promise<string> {
  let query = `?limit=${PAGE}`;
  for (let passed = 0; passed < items; passed += PAGE) {
    const { cursor } = (await request(product, path + query)) as { cursor?: string };
    if (!cursor) throw new Error(`${path} ended after ${passed + PAGE} items`);
    query = `?limit=${PAGE}&cursor=${encodeURIComponent(cursor)}`;
  }
  return path + query;
}
