import { setTimeout as delay } from 'node:timers/promises';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import { encodeCursor } from '@tidings/persistence/page';
import { Client } from 'pg';
import type { Product } from './product';
import { productDatabaseUrl } from './product-database';
import { type Query, request } from './queries';

const WEEKS = 52;
const WEEK_SECONDS = 7 * 24 * 3600;
/** Rows of one insert. */
const CHUNK = 250_000;
/** Number of messages with the rare values, independent of the total. */
const RARE = 20;
const ROUTED_MS_MAX = 10_000;
const POLL_MS = 50;

/** Positions in the inserted messages. */
export interface Landmarks {
  /** Cursor of a page in the middle. */
  cursor: string;
  traceId: string;
}

/**
 * Inserts messages by SQL, spread over the weeks of a year. Indexes are created after the rows; the rest is as the product stores it.
 * One in a hundred is undeliverable, another one in a hundred has the tag `vip`, 20 have the rare values, spread over the year.
 */
export async function fillMessages(product: Product, messages: number): Promise<Landmarks> {
  await request(product, '/send', {
    method: 'POST',
    body: JSON.stringify({ message: { to: { email: 'first@example.com' }, content: { title: 'First', body: 'First' } } }),
  });
  const client = new Client({ connectionString: productDatabaseUrl(product.dataDirectory), application_name: 'bench' });
  await client.connect();
  try {
    await client.query('set search_path = messaging');
    await client.query(`set maintenance_work_mem = '256MB'`);
    const workspace = await workspaceOfMessages(client);
    const now = Math.floor(Date.now() / 1000);
    await makePartitions(client, Math.floor(now / WEEK_SECONDS));
    const indexes = await dropIndexes(client);
    await client.query('alter table messages disable trigger user');
    for (let from = 0; from < messages; from += CHUNK) {
      await client.query(FILL, [workspace, from, Math.min(messages, from + CHUNK) - 1, messages, now, WEEKS * WEEK_SECONDS]);
    }
    await client.query(FILL_TERMS, [workspace]);
    await client.query('alter table messages enable trigger user');
    for (const definition of indexes) await client.query(definition);
    for (const table of ['messages', 'message_terms']) await client.query(`vacuum analyze ${table}`);
    const { rows } = await client.query<{ id: string; trace_id: string }>(MIDDLE, [workspace, now - (WEEKS / 2) * WEEK_SECONDS]);
    const { id, trace_id: traceId } = rows[0]!;
    return { cursor: encodeCursor('messages', [uuidToMessageId(id)]), traceId };
  } finally {
    await client.end();
  }
}

/** Single filters with common and rare values, and pairs of filters. */
export function listingQueries(messages: number, { cursor, traceId }: Landmarks): Query[] {
  const users = Math.floor(messages / 10);
  // 7,919 is a prime that divides no round number of users.
  const someUser = (n: number): string => `user-${(n * 7_919) % users}`;
  const monthAgo = Date.now() - 30 * 24 * 3_600_000;
  const fixed: [name: string, query: string][] = [
    ['no filter', ''],
    ['no filter, archived too', 'archived=true'],
    ['no filter, a page in the middle', `cursor=${cursor}`],
    ['status, common', 'status=DELIVERED'],
    ['status, 1 %', 'status=UNDELIVERABLE'],
    ['status, rare', 'status=CANCELED'],
    ['three statuses', 'status=UNDELIVERABLE,CANCELED,UNROUTABLE'],
    ['event, common', 'event=shipped'],
    ['event, rare', 'event=seldom'],
    ['notification, common', 'notification=nt_shipped'],
    ['notification, rare', 'notification=nt_seldom'],
    ['tag, common', 'tags=prod'],
    ['tag, rare', 'tags=needle'],
    ['any of two tags', 'tags=vip,needle'],
    ['list', 'list=all.customers'],
    ['tenant', 'tenant_id=acme'],
    ['provider, common', 'provider=smtp'],
    ['provider, rare', 'provider=http'],
    ['trace id', `traceId=${traceId}`],
    ['enqueued in the last month', `enqueued_after=${monthAgo}`],
    ['status 1 % and tag 1 %', 'status=UNDELIVERABLE&tags=vip'],
    ['status 1 % and tag rare', 'status=UNDELIVERABLE&tags=needle'],
    ['status rare and event common', 'status=CANCELED&event=shipped'],
    ['event and notification, common', 'event=shipped&notification=nt_shipped'],
    ['tenant and status 1 %', 'tenant_id=acme&status=UNDELIVERABLE'],
    ['provider common and status rare', 'provider=smtp&status=CANCELED'],
    ['status 1 % of the last month', `status=UNDELIVERABLE&enqueued_after=${monthAgo}`],
    ['no match', 'tags=prod&event=seldom&status=OPENED'],
  ];
  return [
    ...fixed.map(([name, query]) => ({ name, pathOf: () => `/messages?${query}` })),
    { name: 'recipient', pathOf: (n) => `/messages?recipient=${someUser(n)}` },
    { name: 'recipient and status', pathOf: (n) => `/messages?recipient=${someUser(n)}&status=DELIVERED` },
  ];
}

async function workspaceOfMessages(client: Client): Promise<string> {
  for (const until = performance.now() + ROUTED_MS_MAX; performance.now() < until; await delay(POLL_MS)) {
    const { rows } = await client.query<{ id: string }>('select workspace_id::text as id from messages');
    if (rows[0]) return rows[0].id;
  }
  throw new Error(`The first message was not routed within ${ROUTED_MS_MAX / 1000} s`);
}

/** Drops the indexes of listings; resolves with the statements that recreate them. */
async function dropIndexes(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexname as name, replace(indexdef, ' ON ONLY ', ' ON ') as definition from pg_indexes
      where schemaname = 'messaging' and tablename = 'messages' and indexname not like '%_pkey'`,
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows.map(({ definition }) => definition);
}

async function makePartitions(client: Client, thisWeek: number): Promise<void> {
  const idOf = (week: number): string => `${(week * WEEK_SECONDS).toString(16).padStart(8, '0')}-0000-0000-0000-000000000000`;
  for (let week = thisWeek - WEEKS; week < thisWeek; week++) {
    for (const table of ['messages', 'message_terms']) {
      await client.query(
        `create table if not exists ${table}_w${week} partition of ${table} for values from ('${idOf(week)}') to ('${idOf(week + 1)}')`,
      );
      await client.query(`alter table ${table}_w${week} owner to tidings_messaging`);
    }
  }
}

/** Parameters: workspace, first and last number, total, epoch second of the last message, seconds of the whole range. */
const FILL = `
  insert into messages (workspace_id, id, status, recipient, event, notification, enqueued_at, sent_at, delivered_at, tags, trace_id, list_id,
                        tenant_id, request_id, providers, last_number, last_event_at)
  select $1::uuid, (lpad(to_hex(second), 8, '0') || substr(md5(n::text), 9))::uuid,
         case when rare then 'CANCELED' when n % 100 = 13 then 'UNDELIVERABLE' when n % 50 = 14 then 'OPENED' else 'DELIVERED' end,
         'user-' || (n * 7::bigint) % ($4::bigint / 10),
         case when rare then 'seldom' when n % 2 = 0 then 'shipped' else '' end,
         case when rare then 'nt_seldom' when n % 2 = 0 then 'nt_shipped' else '' end,
         second * 1000, second * 1000 + 40, second * 1000 + 45,
         case when rare then '["prod", "needle"]'::jsonb when (n / 7) % 100 = 3 then '["prod", "vip"]' when n % 3 = 0 then '["prod"]' end,
         case when n % 100 = 1 then 'trace-' || n end,
         case when n % 10 = 2 then 'all.customers' end,
         case when (n / 3) % 100 = 5 then 'acme' end,
         case when n % 10 = 2 then (lpad(to_hex(second), 8, '0') || repeat('0', 24))::uuid end,
         case when rare then '[{"channel": {"key": "sms", "template": ""}, "provider": "http", "status": "SENT"}]'::jsonb
              else '[{"channel": {"key": "email", "template": ""}, "provider": "smtp", "status": "DELIVERED"}]' end,
         6, second * 1000 + 45
    from generate_series($2::bigint, $3::bigint) as n,
         lateral (select $5::bigint - 120 - ($4 - n) * $6::bigint / $4 as second, n % ($4 / ${RARE}) = 11 as rare) as of_n`;

const FILL_TERMS = `
  insert into message_terms (workspace_id, term, archived, id)
  select workspace_id, 'tag:' || tag, archived, id from messages, jsonb_array_elements_text(tags) as tag
   where workspace_id = $1 and tags is not null`;

const MIDDLE = `
  select id, trace_id from messages
   where workspace_id = $1 and trace_id is not null and id < (lpad(to_hex($2::bigint), 8, '0') || repeat('0', 24))::uuid
   order by id desc limit 1`;
