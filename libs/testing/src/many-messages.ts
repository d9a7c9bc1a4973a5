import type { Client } from 'pg';

/** Over which the messages are spread. */
export const WEEKS = 52;
export const WEEK_SECONDS = 7 * 24 * 3600;
/** Rows of one insert. */
const CHUNK = 250_000;
/** Number of messages with the rare values, independent of the total. */
const RARE = 20;

/**
 * Inserts messages of a workspace by SQL, spread over the weeks of a year before `nowSeconds`. Indexes are created after the rows; the rest
 * is as the product stores it. One in a hundred is undeliverable, another one in a hundred has the tag `vip`, 20 have the rare values.
 * @param client connected as the owner of messaging's tables, or as superuser.
 */
export async function insertMessages(client: Client, workspaceId: string, messages: number, nowSeconds: number): Promise<void> {
  await client.query('set search_path = messaging');
  await client.query(`set maintenance_work_mem = '256MB'`);
  await client.query('set statement_timeout = 0');
  await makePartitions(client, Math.floor(nowSeconds / WEEK_SECONDS));
  const indexes = await dropIndexes(client);
  await client.query('alter table messages disable trigger user');
  for (let from = 0; from < messages; from += CHUNK) {
    await client.query(FILL, [workspaceId, from, Math.min(messages, from + CHUNK) - 1, messages, nowSeconds, WEEKS * WEEK_SECONDS]);
  }
  await client.query(FILL_TERMS, [workspaceId]);
  await client.query('alter table messages enable trigger user');
  for (const definition of indexes) await client.query(definition);
  for (const table of ['messages', 'message_terms']) await client.query(`vacuum analyze ${table}`);
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
