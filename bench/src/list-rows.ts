import { patternsOfListId } from '@tidings/contracts/audience/list-ids';
import { Client } from 'pg';
import type { Product } from './product';
import { productDatabaseUrl } from './product-database';
import { type Query, request } from './queries';

/** Lists whose last part is `hot`, independent of the total: one pattern matches equally many in both products. */
const HOT_LISTS = 50;
const CHUNK = 5_000;

const listId = (number: number): string => (number < HOT_LISTS ? `team-${number}.hot` : `team-${number % 1_000}.topic-${number}`);

/** Inserts lists by SQL in the form that the product stores. */
export async function fillLists(product: Product, count: number): Promise<void> {
  await request(product, '/lists/first', { method: 'PUT', body: JSON.stringify({ name: 'first' }) });
  const client = new Client({ connectionString: productDatabaseUrl(product.dataDirectory), application_name: 'bench' });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string }>('select workspace_id::text as id from audience.lists');
    for (let from = 0; from < count; from += CHUNK) {
      const ids = Array.from({ length: Math.min(CHUNK, count - from) }, (_, n) => listId(from + n));
      const pairs = ids.flatMap((id) => patternsOfListId(id).map((pattern) => [pattern, id] as const));
      await client.query(FILL_LISTS, [rows[0]!.id, ids]);
      await client.query(FILL_PATTERNS, [rows[0]!.id, pairs.map(([pattern]) => pattern), pairs.map(([, id]) => id)]);
    }
    for (const table of ['lists', 'list_patterns', 'subscriber_sets']) await client.query(`vacuum analyze audience.${table}`);
  } finally {
    await client.end();
  }
}

const FILL_LISTS = `
  with made as (insert into audience.subscriber_sets (workspace_id, list_id) select $1, unnest($2::text[]) returning set_id, list_id)
  insert into audience.lists (workspace_id, list_id, name, set_id) select $1, list_id, 'The list ' || list_id, set_id from made`;
const FILL_PATTERNS = `
  insert into audience.list_patterns (workspace_id, pattern, list_id)
  select $1, pattern, list_id from unnest($2::text[], $3::text[]) as entry (pattern, list_id)`;

export function listQueries(count: number): Query[] {
  return [
    { name: 'lists, a page of 100', pathOf: () => '/lists' },
    { name: `lists of the pattern *.hot, all ${HOT_LISTS}`, pathOf: () => '/lists?pattern=*.hot' },
    { name: 'a list', pathOf: (n) => `/lists/${listId((n * 7_919) % count)}` },
  ];
}

/** Number of subscriber sets that a replacement dropped and the sweeper has not removed yet. */
export async function setsToSweep(product: Product): Promise<number> {
  const client = new Client({ connectionString: productDatabaseUrl(product.dataDirectory), application_name: 'bench' });
  await client.connect();
  try {
    const { rows } = await client.query<{ n: number }>(
      'select count(*)::integer as n from audience.subscriber_sets where dropped_at is not null',
    );
    return rows[0]!.n;
  } finally {
    await client.end();
  }
}
